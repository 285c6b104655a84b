import type { EventType } from '@agora-market/contract';
import type { LoggedRow } from '../../events/index.ts';
import { type Queryable, row, rows } from '../../platform/index.ts';
import { breath } from './breath.ts';
import { renamed } from './failures.ts';
import { type Consequence, retier, type Standing, type State, voiceKey } from './fold.ts';
import { loadState } from './load.ts';
import { joinVoices } from './record.ts';
import { saveState } from './save.ts';
import type { Voice } from './voice.ts';

/**
 * Who speaks. Owners that have shared a payment instrument are one principal, named by the first owner that was seen with
 * it; an owner without an instrument is its own. A card or a bank account costs more than an account does, so flows and
 * voices are kept by principal.
 */

/** The events that tell of a verified instrument. Older ones do not name it. */
const instrumentEvents: readonly EventType[] = [
  'pool.topped_up',
  'payment_method.added',
  'payout_account.connected',
  'payout_account.changed',
];

const instrumentIn = ({ data }: LoggedRow): string | null =>
  typeof data.instrument === 'string' ? data.instrument : null;

/** Whether an event is the first to tell of its owner's instrument. Adding a card that is not named proves nothing. */
export async function isNewInstrument(db: Queryable, event: LoggedRow): Promise<boolean> {
  const instrument = instrumentIn(event);
  if (!instrumentEvents.includes(event.type) || event.ownerId === null) return false;
  if (instrument === null && event.type !== 'pool.topped_up') return false;
  // An account at the processor costs nothing before a bank account is behind it.
  if (event.type.startsWith('payout_account.') && event.data.status !== 'ready') return false;
  const found = await row<{ known: boolean }>(
    db,
    'reputation_instrument_known',
    `select exists (select from owner_principals where owner_id = $1) and ($2::text is null or exists (
       select from instrument_owners i
       join owner_principals theirs on theirs.owner_id = i.owner_id
       join owner_principals own on own.owner_id = $1
       where i.instrument = $2 and theirs.principal_id = own.principal_id)) as known`,
    [event.ownerId, instrument],
  );
  return found?.known === false;
}

const principalOf = (db: Queryable, ownerId: string) =>
  row<{ id: string }>(
    db,
    'reputation_principal',
    'select principal_id as id from owner_principals where owner_id = $1',
    [ownerId],
  );

/** Enters that an owner has an instrument. What its principal has said and paid so far becomes that of the other one. */
export async function joinPrincipal(
  tx: Queryable,
  event: LoggedRow,
  apply: (told: Consequence[]) => Promise<void>,
): Promise<void> {
  const ownerId = event.ownerId as string;
  const before = (await principalOf(tx, ownerId))?.id ?? null;
  const first = await firstWith(tx, instrumentIn(event), ownerId);
  const principal = first === ownerId ? (before ?? ownerId) : ((await principalOf(tx, first))?.id ?? first);
  if (before === null) {
    await rows(tx, 'reputation_principal_add', 'insert into owner_principals values ($1, $2)', [ownerId, principal]);
  }
  const joined = before ?? ownerId;
  if (joined === principal) return;
  await rows(tx, 'reputation_principal_join', 'update owner_principals set principal_id = $2 where principal_id = $1', [
    joined,
    principal,
  ]);
  await rows(
    tx,
    'reputation_flow_join',
    `with gone as (delete from owner_flows where owner_id = $1 returning spent, earned)
     insert into owner_flows as f (owner_id, spent, earned) select $2, spent, earned from gone
     on conflict (owner_id) do update set spent = f.spent + excluded.spent, earned = f.earned + excluded.earned`,
    [joined, principal],
  );
  const move = { from: joined, to: principal, correlationId: event.correlationId, at: Date.parse(event.at) };
  await moveVoices(tx, move, apply);
  await forgetOwnPayments(tx, move, apply);
}

/** The first owner that was seen with an instrument: this one where it is new, or has no name. */
async function firstWith(tx: Queryable, instrument: string | null, ownerId: string): Promise<string> {
  if (instrument === null) return ownerId;
  await rows(
    tx,
    'reputation_instrument_add',
    'insert into instrument_owners values ($1, $2) on conflict (instrument) do nothing',
    [instrument, ownerId],
  );
  const found = await row<{ id: string }>(
    tx,
    'reputation_instrument',
    'select owner_id as id from instrument_owners where instrument = $1',
    [instrument],
  );
  return found?.id ?? ownerId;
}

const agentsAtOnce = 100;

/** Both principals of a join, and the event that it became known by. */
interface Move {
  from: string;
  to: string;
  correlationId: string;
  at: number;
}

/** What the principal that is gone has said becomes the word of the other. */
async function moveVoices(tx: Queryable, move: Move, apply: (told: Consequence[]) => Promise<void>): Promise<void> {
  const { from, to } = move;
  for (;;) {
    const ids = await agentIds(
      tx,
      'reputation_voices_of',
      'select agent_id as id from agent_voices where buyer_id = $1 order by agent_id limit $2',
      from,
    );
    if (ids.length === 0) return;
    await change(tx, ids, [from, to], apply, (state, agentId) => moveVoice(state, agentId, move));
    await rows(
      tx,
      'reputation_voices_gone',
      'delete from agent_voices where buyer_id = $1 and agent_id = any($2::uuid[])',
      [from, ids],
    );
  }
}

function moveVoice(state: State, agentId: string, { from, to, correlationId, at }: Move): Consequence[] {
  const standing = state.agents.get(agentId);
  const gone = state.voices.get(voiceKey(agentId, from));
  if (standing === undefined || gone === undefined) return [];
  const { after, voice } = joinVoices(standing.record, state.voices.get(voiceKey(agentId, to)) ?? null, gone);
  standing.record = { ...after, failuresInARow: renamed(after.failuresInARow, from, to) };
  return said(state, agentId, standing, { to, voice, at, correlationId });
}

/** A principal that turns out to be that of an agent's owner was no payer: its credits came back to it. */
async function forgetOwnPayments(
  tx: Queryable,
  { to, at, correlationId }: Move,
  apply: (told: Consequence[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const ids = await agentIds(
      tx,
      'reputation_own_payments',
      `select v.agent_id as id from agent_voices v join agents a on a.id = v.agent_id
       left join owner_principals p on p.owner_id = a.owner_id
       where v.buyer_id = $1 and coalesce(p.principal_id, a.owner_id) = $1 and (v.voice ->> 1)::boolean
       order by v.agent_id limit $2`,
      to,
    );
    if (ids.length === 0) return;
    await change(tx, ids, [to], apply, (state, agentId) => {
      const standing = state.agents.get(agentId) as Standing;
      const voice = { ...(state.voices.get(voiceKey(agentId, to)) as Voice), hasPaid: false };
      standing.record = { ...standing.record, payers: standing.record.payers - 1 };
      return said(state, agentId, standing, { to, voice, at, correlationId });
    });
  }
}

const agentIds = async (tx: Queryable, name: string, sql: string, principal: string): Promise<string[]> =>
  (await rows<{ id: string }>(tx, name, sql, [principal, agentsAtOnce])).map(({ id }) => id);

/** Changes standings of agents, and what the principals say of them. */
async function change(
  tx: Queryable,
  agents: readonly string[],
  principals: readonly string[],
  apply: (told: Consequence[]) => Promise<void>,
  one: (state: State, agentId: string) => Consequence[],
): Promise<void> {
  const about = agents.flatMap((agentId) =>
    principals.map((buyerId) => ({ kind: 'revised', as: 'up', taskId: '', agentId, buyerId, at: 0 }) as const),
  );
  const state = await loadState(tx, about, 0, { byPrincipal: false });
  const told = agents.flatMap((agentId) => one(state, agentId));
  await saveState(tx, state);
  await apply(told);
  await breath();
}

function said(
  state: State,
  agentId: string,
  standing: Standing,
  { to, voice, at, correlationId }: Omit<Move, 'from'> & { voice: Voice },
): Consequence[] {
  const key = voiceKey(agentId, to);
  state.voices.set(key, voice);
  state.changed.agents.add(agentId);
  state.changed.voices.add(key);
  return retier(agentId, standing, Math.max(at, standing.record.asOf), correlationId);
}
