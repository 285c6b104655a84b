import { dayMs, type Queryable, row, rows } from '../../platform/index.ts';
import { breath } from './breath.ts';
import { type Consequence, retier, type Standing } from './fold.ts';
import { type StandingRow as Stored, saveStandings, standingAt } from './save.ts';

/** A day as the log and the tables have it: `2026-11-22`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The midnight (UTC, ms) at which a day ends. */
export const endOf = (day: string): number => Date.parse(day) + dayMs;

/** The midnight up to which days are closed, in ms; 0 before the first. */
export async function closedUntil(db: Queryable): Promise<number> {
  const found = await row<{ closed: string | null }>(
    db,
    'reputation_closed',
    `select to_char(closed, 'YYYY-MM-DD') as closed from reputation_clock`,
  );
  return found?.closed ? endOf(found.closed) : 0;
}

/** So many days are told one by one; of an older gap its end alone is. */
const daysTold = 400;
const pageSize = 100;

type StandingRow = Stored & { midnight: number };

/** What an agent's row of a day says, in the order of the columns. */
type Values = (string | number)[];

/** An agent that has a past, and what its last row of a day says. */
interface Aging extends Standing {
  agentId: string;
  last: Values | null;
}

/**
 * Closes the days up to one. Each agent's reputation is computed at each midnight (UTC), and the last of these is
 * stored. So tenure and age alone move tiers up and down. What of the days the log still tells later counts as of the
 * day after. A day's row is stored where it differs from the row before.
 */
export async function closeDay(
  tx: Queryable,
  day: string,
  correlationId: string,
  apply: (consequences: Consequence[]) => Promise<void>,
): Promise<void> {
  const last = endOf(day);
  const before = Math.max((await closedUntil(tx)) || last - dayMs, last - daysTold * dayMs);
  const midnights: number[] = [];
  for (let midnight = before + dayMs; midnight <= last; midnight += dayMs) midnights.push(midnight);
  for (let page = await agentsAfter(tx, null); page.length > 0; page = await agentsAfter(tx, page)) {
    const aged: { standings: StandingRow[]; consequences: Consequence[] }[] = [];
    for (const agent of page) {
      aged.push(agedTo(midnights, agent, correlationId));
      await breath();
    }
    const standings = aged.flatMap((each) => each.standings.slice(-1));
    await saveStandings(tx, standings);
    await tellDays(
      tx,
      page,
      aged.map((each) => each.standings),
    );
    await apply(aged.flatMap(({ consequences }) => consequences));
  }
  await rows(tx, 'reputation_close', 'update reputation_clock set closed = $1', [day]);
}

/** How an agent stands at each of some midnights that come after its last fact, and at the last of all. */
function agedTo(midnights: number[], { agentId, ...standing }: Aging, correlationId: string) {
  const last = midnights.at(-1) as number;
  const consequences: Consequence[] = [];
  const standings: StandingRow[] = [];
  for (const midnight of midnights) {
    if (midnight < standing.record.asOf && midnight < last) continue;
    // Times of another server can be ahead of this midnight.
    const at = Math.max(midnight, standing.record.asOf);
    consequences.push(...retier(agentId, standing, at, correlationId));
    standings.push({ ...standingAt(agentId, { ...standing }, at), midnight });
  }
  return { standings, consequences };
}

const agentsAfter = (tx: Queryable, page: Aging[] | null) =>
  rows<Aging>(
    tx,
    'reputation_agents_after',
    `select r.agent_id as "agentId", a.owner_id as "ownerId", r.record, r.trust_tier as tier, (
       select json_build_array(overall_score, confidence, lower_bound, trust_tier, outcome, relationship, economic, reliability)
       from reputation_days where agent_id = r.agent_id order by day desc limit 1
     ) as last
     from reputations r join agents a on a.id = r.agent_id
     where r.agent_id > $1 and r.record is not null order by r.agent_id limit $2`,
    [page?.at(-1)?.agentId ?? '00000000-0000-0000-0000-000000000000', pageSize],
  );

const valuesOf = ({ overallScore, confidence, lowerBound, standing, dimensions }: StandingRow): Values => [
  overallScore,
  confidence,
  lowerBound,
  standing.tier,
  dimensions.outcome,
  dimensions.relationship,
  dimensions.economic,
  dimensions.reliability,
];

/** Stores the days of each agent that differ from the one before. */
async function tellDays(tx: Queryable, page: Aging[], days: StandingRow[][]): Promise<void> {
  const told: Values[] = [];
  for (const [nth, { agentId, last }] of page.entries()) {
    let before = last;
    for (const day of days[nth] ?? []) {
      const values = valuesOf(day);
      if (before === null || values.some((value, at) => value !== before?.[at]))
        told.push([agentId, dayOf(day.midnight - 1), ...values]);
      before = values;
    }
  }
  const column = (at: number) => told.map((values) => values[at]);
  await rows(
    tx,
    'reputation_tell_days',
    `insert into reputation_days (agent_id, day, overall_score, confidence, lower_bound, trust_tier, outcome, relationship,
       economic, reliability)
     select * from unnest($1::uuid[], $2::date[], $3::int[], $4::int[], $5::int[], $6::text[], $7::int[], $8::int[],
       $9::int[], $10::int[])`,
    Array.from({ length: 10 }, (_, at) => column(at)),
  );
}
