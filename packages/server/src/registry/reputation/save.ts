import type { Category } from '@agora-market/contract';
import { type Queryable, rows } from '../../platform/index.ts';
import { portionsOf } from './breath.ts';
import type { Deals } from './buyer.ts';
import { emptyTally } from './evidence.ts';
import { countedFailures } from './failures.ts';
import type { Standing, State } from './fold.ts';
import { domainsOf, type Score, scoreOf } from './score.ts';
import { noTastes } from './tastes.ts';
import { packVoice } from './voice-row.ts';

/** A standing at a time (ms), as its row has it. */
export interface StandingRow extends Score {
  agentId: string;
  at: number;
  standing: Standing;
}

export const standingAt = (agentId: string, standing: Standing, at: number): StandingRow => ({
  agentId,
  at,
  standing,
  ...scoreOf(standing.record, at),
});

/** Stores all that has changed. */
export async function saveState(tx: Queryable, state: State): Promise<void> {
  const { agents, voices, flows, buyers, prices, newcomers, tastes } = state.changed;
  for (const some of portionsOf(agents)) {
    const standings = some.map((id) => {
      const standing = state.agents.get(id) as Standing;
      return standingAt(id, standing, standing.record.asOf);
    });
    await saveStandings(tx, standings);
  }
  for (const some of portionsOf(voices)) await saveVoices(tx, state, some);
  for (const some of portionsOf(flows)) await saveFlows(tx, state, some);
  for (const some of portionsOf(buyers)) await saveBuyers(tx, state, some);
  const pricesOf = (category: Category) => ({ category, prices: state.prices.get(category)?.last ?? [] });
  await saveByCategory(tx, 'category_prices', [...prices].map(pricesOf));
  const newcomersOf = (category: Category) => ({ category, ...(state.newcomers.get(category) ?? emptyTally()) });
  await saveByCategory(tx, 'category_newcomers', [...newcomers].map(newcomersOf));
  const tastesOf = (category: Category) => ({ category, ...(state.tastes.get(category) ?? noTastes()) });
  await saveByCategory(tx, 'category_tastes', [...tastes].map(tastesOf));
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

export async function saveStandings(tx: Queryable, standings: StandingRow[]): Promise<void> {
  if (standings.length === 0) return;
  const values = standings.map(({ agentId, at, standing: { record, tier }, dimensions, outcome, ...score }) => ({
    agent_id: agentId,
    overall_score: score.overallScore,
    confidence: score.confidence,
    lower_bound: score.lowerBound,
    trust_tier: tier,
    ...dimensions,
    ...outcome,
    completed: record.completed,
    failed: record.failed,
    refunded: record.refunded,
    thumbs_up: record.thumbsUp,
    thumbs_down: record.thumbsDown,
    failures_in_a_row: countedFailures(record.failuresInARow),
    first_passed_at: iso(record.firstPassedAt),
    record,
    as_of: iso(at),
  }));
  const columns = Object.keys(values[0] as object).filter((name) => name !== 'agent_id');
  const saved = await rows(
    tx,
    'reputation_save',
    // By key whatever the statistics of a fresh table say, which an update with a join is not.
    `insert into reputations (agent_id, ${columns.join(', ')})
     select agent_id, ${columns.join(', ')} from json_populate_recordset(null::reputations, $1)
     on conflict (agent_id) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
     returning agent_id`,
    [JSON.stringify(values)],
  );
  if (saved.length !== standings.length) throw new Error('a reputation was not stored');
  await saveDomains(tx, standings);
}

const saveDomains = (tx: Queryable, standings: StandingRow[]) => {
  const domains = standings.flatMap(({ agentId, at, standing }) =>
    domainsOf(standing.record, at).map((domain) => ({ agentId, ...domain })),
  );
  return rows(
    tx,
    'reputation_save_domains',
    `insert into agent_domains as d (agent_id, category, score, confidence, tasks, alpha, beta)
     select * from unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::int[], $6::float8[], $7::float8[]) order by 1, 2
     on conflict (agent_id, category) do update set
       score = excluded.score, confidence = excluded.confidence, tasks = excluded.tasks,
       alpha = excluded.alpha, beta = excluded.beta`,
    [
      domains.map(({ agentId }) => agentId),
      domains.map(({ category }) => category),
      domains.map(({ score }) => score),
      domains.map(({ confidence }) => confidence),
      domains.map(({ tasks }) => tasks),
      domains.map(({ posterior }) => posterior.alpha),
      domains.map(({ posterior }) => posterior.beta),
    ],
  );
};

async function saveVoices(tx: Queryable, { voices }: State, changed: string[]): Promise<void> {
  // A UUID has 36 characters.
  const keys = changed.map((key) => [key.slice(0, 36), key.slice(37)]);
  const values = changed.map((key) => packVoice(voices.get(key) as NonNullable<ReturnType<typeof voices.get>>));
  await rows(
    tx,
    'reputation_save_voices',
    `insert into agent_voices (agent_id, buyer_id, voice)
     select agent, buyer, voice from unnest($1::uuid[], $2::uuid[], $3::json[]) as v(agent, buyer, voice)
     on conflict (agent_id, buyer_id) do update set voice = excluded.voice`,
    [
      keys.map(([agentId]) => agentId),
      keys.map(([, buyerId]) => buyerId),
      values.map((voice) => JSON.stringify(voice)),
    ],
  );
}

async function saveFlows(tx: Queryable, { flows }: State, owners: string[]): Promise<void> {
  await rows(
    tx,
    'reputation_save_flows',
    `insert into owner_flows (owner_id, spent, earned) select * from unnest($1::uuid[], $2::bigint[], $3::bigint[])
     on conflict (owner_id) do update set spent = excluded.spent, earned = excluded.earned`,
    [owners, owners.map((id) => flows.get(id)?.spent), owners.map((id) => flows.get(id)?.earned)],
  );
}

async function saveBuyers(tx: Queryable, { buyers }: State, owners: string[]): Promise<void> {
  const values = owners.map((owner) => {
    const { disputesLost, ...counts } = buyers.get(owner) as Deals;
    return { owner_id: owner, ...counts, disputes_lost: disputesLost };
  });
  await rows(
    tx,
    'reputation_save_buyers',
    `insert into buyer_records select * from json_populate_recordset(null::buyer_records, $1)
     on conflict (owner_id) do update set passed = excluded.passed, rejected = excluded.rejected,
       refunded = excluded.refunded, disputes_lost = excluded.disputes_lost, spent = excluded.spent`,
    [JSON.stringify(values)],
  );
}

/** Stores what was learned of categories, as rows of the table. */
async function saveByCategory(
  tx: Queryable,
  table: 'category_prices' | 'category_newcomers' | 'category_tastes',
  values: ReadonlyArray<{ category: Category }>,
): Promise<void> {
  if (values.length === 0) return;
  const learned = Object.keys(values[0] as object).filter((name) => name !== 'category');
  await rows(
    tx,
    `reputation_save_${table}`,
    `insert into ${table} (category, ${learned}) select category, ${learned} from json_populate_recordset(null::${table}, $1)
     on conflict (category) do update set ${learned.map((name) => `${name} = excluded.${name}`)}`,
    [JSON.stringify(values)],
  );
}
