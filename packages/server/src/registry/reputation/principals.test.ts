import { beforeEach, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { type Logged, parties, registerParties, store } from '../../../test/support/reputation-log.ts';
import { followLog } from './reader.ts';
import { recomputeReputations } from './recompute.ts';

const { pool } = await databaseForFile();
const [agent] = parties.agents as [{ id: string; ownerId: string }];
const [, first, second, third] = parties.buyers as [string, string, string, string];
const never = new AbortController().signal;
let nth = 0;

beforeEach(async () => {
  await pool.query(
    'truncate owners, agents, agent_stats, reputations, events, outbox_readers, owner_principals cascade',
  );
  await pool.query(
    'truncate agent_voices, owner_flows, buyer_records, instrument_owners, category_newcomers, category_tastes, category_prices',
  );
  await registerParties(pool);
});

function event(type: Logged['type'], about: Partial<Logged>, data: Logged['data']): Logged {
  const at = new Date(Date.parse('2026-05-01T10:00:00.000Z') + 1000 * nth++).toISOString();
  return { type, at, correlationId: `c${nth}`, taskId: null, agentId: null, ownerId: null, data, ...about };
}

const instrument = (ownerId: string, name: string) =>
  event('payment_method.added', { ownerId }, { brand: 'visa', instrument: name });

const passed = (ownerId: string, data: Logged['data'] = {}) =>
  event(
    'task.completed',
    { ownerId, agentId: agent.id, taskId: `00000000-0000-7000-8c00-${String(nth).padStart(12, '0')}` },
    { verb: 'pass', qualityScore: 90, isMeasured: true, taskType: 'testing', price: 500, payout: 425, ...data },
  );

async function read(...log: Logged[]) {
  await store(pool, log);
  await followLog(pool, never);
  expect(await recomputeReputations(pool)).toMatchObject({ differences: [] });
  const { rows } = await pool.query(
    `select (record ->> 'payers')::int as payers, completed, (record #>> '{evidence,outcome,mass}')::float8 as mass,
       (select count(*)::int from agent_voices where agent_id = r.agent_id) as voices
     from reputations r where agent_id = $1`,
    [agent.id],
  );
  return rows[0];
}

test('owners with one card are one buyer, and two cards that one owner has make one of all who have them', async () => {
  expect(await read(passed(first), passed(second), passed(third))).toMatchObject({ payers: 3, voices: 3 });
  const joined = await read(instrument(first, 'ins_a'), instrument(second, 'ins_a'));
  expect(joined).toMatchObject({ payers: 2, voices: 2, completed: 3 });
  expect(await read(instrument(third, 'ins_b'), instrument(third, 'ins_a'))).toMatchObject({ payers: 1, voices: 1 });
  const { rows } = await pool.query('select owner_id, spent from owner_flows where spent > 0');
  expect(rows).toEqual([{ owner_id: first, spent: 1500 }]);
});

test('a payout account counts once a bank account is behind it, and owners with one bank account are one', async () => {
  const account = (type: 'connected' | 'changed', ownerId: string, status: string, bank: string | null) =>
    event(`payout_account.${type}`, { ownerId }, { status, instrument: bank });
  const verified = async () => (await pool.query('select count(*)::int as n from owner_principals')).rows[0].n;
  await read(passed(first), passed(second));
  await read(account('connected', first, 'onboarding', null), account('connected', second, 'onboarding', 'ins_b'));
  expect(await verified()).toBe(0);
  expect(await read(account('changed', first, 'ready', 'ins_b'))).toMatchObject({ payers: 2 });
  expect(await read(account('changed', second, 'ready', 'ins_b'))).toMatchObject({ payers: 1 });
  expect(await verified()).toBe(2);
});

test('a buyer that had all of its tasks refunded has not paid', async () => {
  const [bought, other] = [passed(first), passed(first)];
  const refunded = ({ taskId, agentId, ownerId }: Logged) =>
    event('task.refunded', { taskId, agentId, ownerId }, { because: 'feedback', amount: 500, payout: 425 });
  expect(await read(bought, other, refunded(bought))).toMatchObject({ payers: 1 });
  expect(await read(refunded(other))).toMatchObject({ payers: 0 });
  expect(await read(passed(first))).toMatchObject({ payers: 1 });
});

test('a rejection that was struck says nothing of the buyer', async () => {
  const rejected = (answerable?: 'buyer'): Logged => ({
    ...passed(first, { verb: 'reject', from: 'quality_check', answerable }),
    type: 'task.failed',
  });
  const [own, theirs] = [rejected(), rejected('buyer')];
  const record = async () =>
    (await pool.query('select rejected from buyer_records where owner_id = $1', [first])).rows[0];
  const struck = ({ taskId, agentId, ownerId }: Logged) =>
    event('assessment.appeal_decided', { taskId, agentId, ownerId }, { status: 'upheld' });
  await read(passed(first), own, theirs);
  expect(await record()).toEqual({ rejected: 1 });
  await read(struck(own));
  expect(await record()).toEqual({ rejected: 1 });
  await read(struck(theirs));
  expect(await record()).toEqual({ rejected: 0 });
});

test('what the agents of its own principal do for a buyer says nothing of it', async () => {
  await read(instrument(agent.ownerId, 'ins_own'), instrument(first, 'ins_own'), passed(first), passed(second));
  const { rows } = await pool.query('select owner_id as id, passed from buyer_records where passed > 0');
  expect(rows).toEqual([{ id: second, passed: 1 }]);
});

test('tastes are kept from what buyers had from an agent again and again', async () => {
  const buyers = [first, second, third];
  const scores = (nth: number) => buyers.map((buyer, i) => passed(buyer, { qualityScore: 60 + 15 * i + (nth % 2) }));
  await read(...Array.from({ length: 12 }, (_, nth) => scores(nth)).flat());
  const { rows } = await pool.query(
    'select category, pairs > 1 as some, together > apart / 2 as differ from category_tastes',
  );
  expect(rows).toEqual([{ category: 'testing', some: true, differ: true }]);
});

test('a pass of which nothing was measured is no outcome, and its thumb is one of less weight', async () => {
  const unmeasured = passed(first, { isMeasured: false, qualityScore: 87 });
  expect(await read(passed(second), unmeasured)).toMatchObject({ completed: 2 });
  const { mass } = await read();
  const { taskId, agentId, ownerId } = unmeasured;
  const thumb = event('feedback.received', { taskId, agentId, ownerId }, { direction: 'up' });
  expect((await read(thumb)).mass).toBeGreaterThan(mass);
});

test('a pass of before counts as unmeasured if it has the score of unmeasured work', async () => {
  const before = (qualityScore: number) => passed(first, { isMeasured: undefined, qualityScore });
  expect(await read(before(60))).toMatchObject({ mass: 0, completed: 1 });
  expect((await read(before(61))).mass).toBeGreaterThan(0);
});

test('a task whose submitter named the agent weighs a fifth of one that was routed', async () => {
  const direct = (await read(passed(first, { isDirect: true }))).mass;
  const routed = (await read(passed(second))).mass - direct;
  // Events carry whole seconds of age.
  expect(routed / direct).toBeCloseTo(5, 3);
});
