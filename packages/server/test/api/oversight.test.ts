import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { parse, textOf } from '../vault/csv-text.ts';
import { askForApproval } from './requests.ts';
import { day, hire, hireAndPass, hireAndStart, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

/** The overview and the audit log of an owner. */

const server = serverForFile({ config: { SESSION_IDLE_MS: 1e12 } });

const overviewOf = ({ agora }: TestOwner) => agora.embassy.overview();
const alertsOf = async (owner: TestOwner) =>
  (await overviewOf(owner)).alerts.map(({ kind, count }) => `${kind} ${count}`);
const priced = (baseRate: number) => ({ pricing: { model: 'per_task', baseRate, currency: 'USD' } as const });

describe('the overview', () => {
  test('of a new owner is all zeros, with every status named', async () => {
    const none = { submitted: 0, routing: 0, executing: 0, quality_check: 0 };
    expect(await overviewOf(await server.owner({ credits: 0 }))).toEqual({
      at: server.clock.now().toISOString(),
      currency: 'USD',
      pool: { balance: 0, held: 0 },
      wallets: { available: 0, escrowed: 0 },
      spent: { day: 0, week: 0, month: 0 },
      earned: { day: 0, week: 0, month: 0 },
      submitted: none,
      assigned: none,
      agents: { active: 0, deactivated: 0, suspended: 0 },
      buyerRecord: {
        ...{ tasks: 0, passRate: null, refundRate: null, disputesLost: 0, spent: 0 },
        ...{ since: server.clock.now().toISOString(), verifiedPayment: false, isUnusual: false },
      },
      alerts: [],
    });
  });

  test('counts what is spent and earned in 24 hours, 7 and 30 days, and takes refunds off', async () => {
    const pair = await makePair(server, { agent: priced(1000) });
    await hireAndPass(pair);
    await pass(server, 2 * day);
    await hireAndPass(pair);
    const refunded = await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(refunded.id, { direction: 'down' });
    expect(await overviewOf(pair.buyer)).toMatchObject({
      pool: { balance: 98_000, held: 0 },
      spent: { day: 1000, week: 2000, month: 2000 },
      earned: { day: 0, week: 0, month: 0 },
    });
    expect(await overviewOf(pair.seller)).toMatchObject({
      wallets: { available: 850, escrowed: 850 },
      spent: { day: 0, week: 0, month: 0 },
      earned: { day: 850, week: 1700, month: 1700 },
    });
    await pass(server, 10 * day);
    expect((await overviewOf(pair.buyer)).spent).toEqual({ day: 0, week: 0, month: 2000 });
    expect((await overviewOf(pair.seller)).earned).toEqual({ day: 0, week: 0, month: 1700 });
  });

  test('counts open tasks on both sides, by status, and agents', async () => {
    const pair = await makePair(server);
    await hire(pair);
    await hireAndStart(pair);
    const other = await pair.seller.agent();
    await pair.seller.agora.agents.deactivate(other.id);
    const open = { submitted: 1, routing: 0, executing: 1, quality_check: 0 };
    expect(await overviewOf(pair.buyer)).toMatchObject({ submitted: open, pool: { held: 2000 } });
    expect(await overviewOf(pair.seller)).toMatchObject({
      assigned: open,
      submitted: { submitted: 0, executing: 0 },
      agents: { active: 1, deactivated: 1, suspended: 0 },
    });
  });

  test('says what needs attention, until it is seen to', async () => {
    const pair = await makePair(server, { credits: 1500, agent: priced(1000) });
    const { id } = await hireAndPass(pair);
    expect(await alertsOf(pair.buyer)).toEqual(['credits_low 1']);
    expect(await alertsOf(pair.seller)).toEqual([]);
    await pass(server, 11 * minute);
    const dispute = await pair.buyer.agora.tasks.dispute(id, { reason: 'It is no haiku' });
    const { alerts } = await overviewOf(pair.seller);
    expect(alerts).toMatchObject([{ kind: 'dispute_to_answer', count: 1, by: dispute.respondBy }]);
    await pair.seller.agora.courts.respondToDispute(dispute.id, { response: 'It is one' });
    expect(await alertsOf(pair.seller)).toEqual([]);
    await askForApproval(server, pair.buyer, pair.agent.id);
    expect(await alertsOf(pair.buyer)).toEqual(['approval_waiting 1', 'credits_low 1']);
    await pair.buyer.agora.vault.topUp({ amount: 1000 });
    expect(await alertsOf(pair.buyer)).toEqual(['approval_waiting 1']);
  });
});

describe('the audit log', () => {
  let owner: TestOwner;
  let agents: { id: string }[];

  beforeAll(async () => {
    owner = await server.owner({ credits: 500 });
    agents = [await owner.agent(), await owner.agent()];
    await pass(server, minute);
    for (const { id } of agents) {
      await owner.agora.agents.deactivate(id);
      await owner.agora.agents.reactivate(id);
    }
    await owner.agora.auth.createToken({ name: '=1+1' });
  });

  type Query = Parameters<typeof owner.agora.embassy.audit>[0];
  async function all(query: Query = {}) {
    const found = [];
    for await (const event of owner.agora.embassy.audit(query)) found.push(event);
    return found;
  }
  const typesOf = async (query?: Query) => (await all(query)).map(({ eventType }) => eventType);

  test('tells what happened to the account, newest first, and the same in pages of any size', async () => {
    const whole = await all({ pageSize: 100 });
    expect(whole.map(({ eventType }) => eventType)).toEqual([
      'token.created',
      ...['agent.reactivated', 'agent.deactivated', 'agent.reactivated', 'agent.deactivated'],
      ...['agent.registered', 'agent.registered'],
      ...(await typesOf()).slice(7),
    ]);
    expect(whole.at(-1)?.eventType).toBe('owner.registered');
    for (const pageSize of [1, 2, 7]) expect(await all({ pageSize })).toEqual(whole);
    expect(new Set(whole.map(({ eventId }) => eventId)).size).toBe(whole.length);
  });

  test('is filtered by type, agent, request and time, all together', async () => {
    expect(await typesOf({ type: 'agent.deactivated', pageSize: 1 })).toEqual(Array(2).fill('agent.deactivated'));
    const ofFirst = await all({ agentId: agents[0]?.id });
    expect(ofFirst.map(({ eventType }) => eventType)).toEqual([
      'agent.reactivated',
      'agent.deactivated',
      'agent.registered',
    ]);
    const [last] = ofFirst;
    expect(await all({ correlationId: last?.metadata.correlationId as string })).toEqual([last]);
    const at = last?.timestamp as string;
    expect(await typesOf({ from: at, agentId: agents[0]?.id })).toEqual(['agent.reactivated', 'agent.deactivated']);
    expect(await typesOf({ to: at, agentId: agents[0]?.id })).toEqual(['agent.registered']);
    expect(await refusalOf(owner.agora.embassy.audit({ from: at, to: '2020-01-01T00:00:00Z' }))).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  test('as CSV holds what the list holds, and no formula', async () => {
    const [header, ...records] = parse(await textOf(owner.agora.embassy.exportAudit()));
    expect(header?.join(',')).toBe('timestamp,eventId,eventType,sourceDistrict,agentId,correlationId,data');
    const whole = await all({ pageSize: 100 });
    expect(records).toEqual(
      whole.map(({ timestamp, eventId, eventType, sourceDistrict, metadata, data }) => [
        ...[timestamp, eventId, eventType, sourceDistrict, (metadata.agentId as string | null) ?? ''],
        ...[metadata.correlationId as string, JSON.stringify(data)],
      ]),
    );
    const [, only] = parse(await textOf(owner.agora.embassy.exportAudit({ type: 'token.created' })));
    expect(only?.[2]).toBe('token.created');
  });

  test('is nobody else’s to read', async () => {
    const other = await server.owner({ credits: 0 });
    const { data } = await other.agora.embassy.audit({ pageSize: 100 });
    expect(JSON.stringify(data)).not.toContain(owner.id);
    expect((await other.agora.embassy.audit({ agentId: agents[0]?.id })).data).toEqual([]);
  });

  test('goes on past a stretch in which nothing matches', async () => {
    const busy = await server.owner({ credits: 0 });
    await busy.agora.auth.createToken({ name: 'first' });
    await server.pool.query(
      `insert into events (type, district, at, owner_id, correlation_id, data)
       select 'owner.updated', 'auth', now(), (select owner_id from events order by seq desc limit 1), 'planted', '{}'
       from generate_series(1, 3000)`,
    );
    const first = await busy.agora.embassy.audit({ type: 'token.created' });
    expect(first.data).toEqual([]);
    expect(first.pagination.nextCursor).not.toBeNull();
    const found = [];
    for await (const event of busy.agora.embassy.audit({ type: 'token.created' })) found.push(event.eventType);
    expect(found).toEqual(['token.created']);
  });
});
