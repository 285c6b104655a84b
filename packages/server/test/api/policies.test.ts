import type { Reply } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import type { TestAgent } from '../support/harness.ts';
import { anything, bind, bindAgent, denied, hoursIn, type Rules } from './policy.ts';
import { hire, makePair, minute, refusalOf, serverForFile } from './scene.ts';

/** What policies say of what owners and their agents submit. */

const server = serverForFile();

describe('policies', () => {
  test('allow everything at first, are listed owner first, and go up a version with each change', async () => {
    const owner = await server.owner({ credits: 0 });
    const agents = [await owner.agent(), await owner.agent()];
    const none = { agentId: null, version: 0, ...anything, updatedAt: null };
    expect((await owner.agora.embassy.listPolicies()).data).toEqual([none]);
    const rules = {
      perTransactionMax: 500,
      approvalThreshold: 100,
      allowedCategories: ['research' as const],
      operatingHours: { timeZone: 'Europe/Berlin', days: ['monday' as const], from: '22:00', to: '06:00' },
      blockedCounterparties: ['agt_01jxyz3k9mf5t8v2q7h4n6p0rs', 'own_01jxyz3k9mf5t8v2q7h4n6p0rs'],
    };
    for (const agent of agents) expect(await bindAgent(agent, rules)).toMatchObject({ version: 1, ...rules });
    expect(await bind(owner, { perTransactionMax: 5 })).toMatchObject({ version: 1, perTransactionMax: 5 });
    expect(await bind(owner, {}, 1)).toMatchObject({ version: 2, perTransactionMax: null });
    const all: (string | null)[] = [];
    for await (const { agentId } of owner.agora.embassy.listPolicies({ pageSize: 1 })) all.push(agentId);
    expect(all).toEqual([null, ...agents.map(({ id }) => id)]);
    const { rows } = await server.pool.query(
      `select e.data from events e join owners o on o.id = e.owner_id where e.type = 'policy.updated' and o.email = $1`,
      [owner.email],
    );
    expect(rows).toHaveLength(4);
    expect(rows[0].data).toMatchObject({ agentId: agents[0]?.id, version: 1, ...rules });
  });

  test('of one version are changed once, however many try; the others learn the version', async () => {
    const owner = await server.owner({ credits: 0 });
    for (const version of [0, 1]) {
      const tries = [1, 2, 3, 4].map((cents) => bind(owner, { perTransactionMax: cents }, version));
      const ended = await Promise.allSettled(tries);
      const won = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      expect(won).toHaveLength(1);
      const lost = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      const conflict = { status: 409, code: 'VERSION_CONFLICT', details: { version: version + 1 } };
      expect(lost).toMatchObject(Array(3).fill(conflict));
      expect((await owner.agora.embassy.listPolicies()).data).toEqual(won);
    }
  });

  test.each<Partial<Record<keyof Rules, unknown>>>([
    { operatingHours: { timeZone: 'Mars/Olympus', days: ['monday'], from: '09:00', to: '17:00' } },
    { operatingHours: { timeZone: '+01:00', days: ['monday'], from: '09:00', to: '17:00' } },
    { operatingHours: { timeZone: 'UTC', days: [], from: '09:00', to: '17:00' } },
    { operatingHours: { timeZone: 'UTC', days: ['monday'], from: '24:00', to: '17:00' } },
    { allowedCategories: ['gardening'] },
    { blockedCounterparties: ['tsk_01jxyz3k9mf5t8v2q7h4n6p0rs'] },
    { blockedCounterparties: Array(101).fill('agt_01jxyz3k9mf5t8v2q7h4n6p0rs') },
    { perTransactionMax: -1 },
  ])('with %j are 400', async (rules) => {
    const owner = await server.owner({ credits: 0 });
    expect(await refusalOf(bind(owner, rules as Partial<Rules>))).toBe('400 VALIDATION_ERROR');
  });
});

describe("an owner's submission", () => {
  test.each<[string, Partial<Rules>, object]>([
    ['of another category', { allowedCategories: ['research'] }, { rule: 'allowedCategories' }],
    ['above the limit', { perTransactionMax: 999 }, { rule: 'perTransactionMax', limit: 999 }],
  ])('%s is 403 with the rule, routed or not, and nothing is held', async (_, rules, details) => {
    const pair = await makePair(server);
    await bind(pair.buyer, rules);
    const wanted = { code: 'POLICY_DENIED', policy: 'owner', ...details };
    expect(await denied(hire(pair))).toEqual(wanted);
    expect(await denied(hire(pair, { agentId: undefined }))).toEqual(wanted);
    expect(await denied(pair.buyer.agora.tasks.quote({ taskType: 'general', maxBudget: 1000 }))).toEqual(wanted);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 0 });
    await bind(pair.buyer, {}, 1);
    expect(await refusalOf(hire(pair))).toBe('no refusal');
  });

  test('is allowed only within the hours, to the minute', async () => {
    const pair = await makePair(server);
    await bind(pair.buyer, { operatingHours: hoursIn(server, 30) });
    const closed = { code: 'POLICY_DENIED', policy: 'owner', rule: 'operatingHours' };
    expect(await denied(hire(pair))).toEqual(closed);
    server.clock.advance(31 * minute);
    expect(await refusalOf(hire(pair))).toBe('no refusal');
    server.clock.advance(60 * minute);
    expect(await denied(hire(pair))).toEqual(closed);
    server.clock.advance(-60 * minute);
    expect(await refusalOf(hire(pair))).toBe('no refusal');
  });

  test('never goes to an agent that the owner blocks, or whose owner it blocks', async () => {
    const [pair, free] = [await makePair(server), await makePair(server)];
    const capabilities = [{ category: 'security' as const, tags: [] }];
    const blocked = await pair.seller.agent({ capabilities });
    const fields = { taskType: 'security' as const, agentId: undefined };
    await bind(pair.buyer, { blockedCounterparties: [blocked.id] });
    const rule = { code: 'POLICY_DENIED', policy: 'owner', rule: 'blockedCounterparties' };
    expect(await denied(hire(pair, { agentId: blocked.id }))).toEqual(rule);
    expect(await refusalOf(hire(pair, fields))).toBe('404 NO_AGENTS_AVAILABLE');
    await bind(pair.buyer, { blockedCounterparties: [pair.seller.id] }, 1);
    expect(await denied(hire(pair, { agentId: blocked.id }))).toEqual(rule);
    const other = await free.seller.agent({ capabilities });
    expect(await hire(pair, fields)).toMatchObject({ agentId: other.id });
  });
});

describe('a sub-hire', () => {
  const ask = async (agent: TestAgent, worker: TestAgent, maxBudget = 600) =>
    agent.agora.tasks.submitAsAgent({ taskType: 'general', maxBudget, input: {}, agentId: worker.id });

  test("obeys its owner's policy and that of its agent", async () => {
    const { buyer, agent: worker } = await makePair(server);
    const agent = await buyer.agent();
    await bind(buyer, { perTransactionMax: 500 });
    const tooMuch = { code: 'POLICY_DENIED', rule: 'perTransactionMax' };
    expect(await denied(ask(agent, worker))).toEqual({ ...tooMuch, policy: 'owner', limit: 500 });
    await bindAgent(agent, { perTransactionMax: 400 });
    expect(await denied(ask(agent, worker, 450))).toEqual({ ...tooMuch, policy: 'agent', limit: 400 });
    expect(await refusalOf(ask(agent, worker, 400))).toBe('no refusal');
    expect(await refusalOf(hire({ buyer, agent: worker }, { maxBudget: 450 }))).toBe('no refusal');
  });

  test('above the lowest threshold waits; the approval checks the policy of that moment, and racing ones submit once', async () => {
    const { buyer, agent: worker } = await makePair(server);
    const agent = await buyer.agent();
    await bind(buyer, { approvalThreshold: 500 });
    await bindAgent(agent, { approvalThreshold: 300 });
    const { approval } = (await ask(agent, worker, 400)) as Extract<
      Reply<'tasks.submitAsAgent'>,
      { approval: unknown }
    >;
    expect(approval.reason).toEqual({ rule: 'approvalThreshold', limit: 300 });
    await bind(buyer, { allowedCategories: ['research'] }, 1);
    const approve = () => buyer.agora.embassy.approve(approval.id);
    expect(await denied(approve())).toEqual({ code: 'POLICY_DENIED', policy: 'owner', rule: 'allowedCategories' });
    expect(await buyer.agora.embassy.getApproval(approval.id)).toMatchObject({ status: 'pending' });
    await bind(buyer, {}, 2);
    const ended = await Promise.all([approve(), approve(), approve()].map(refusalOf));
    expect(ended.sort()).toEqual(['409 ALREADY_DECIDED', '409 ALREADY_DECIDED', 'no refusal']);
    expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 400 });
  });

  test('needs no approval at the threshold; what the owner itself submits never does', async () => {
    const { buyer, agent: worker } = await makePair(server);
    const agent = await buyer.agent();
    await bind(buyer, { approvalThreshold: 600 });
    expect(await ask(agent, worker)).toMatchObject({ status: 'submitted' });
    expect(await hire({ buyer, agent: worker }, { maxBudget: 900 })).toMatchObject({ status: 'submitted' });
  });
});
