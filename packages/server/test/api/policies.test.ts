import type { Body, Reply } from '@agora/sdk';
import { describe, expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { anything } from './policy.ts';
import { day, hire, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();
type Rules = Omit<Body<'embassy.setPolicy'>, 'version'>;

const bind = (owner: TestOwner, rules: Partial<Rules>, version = 0) =>
  owner.agora.embassy.setOwnerPolicy({ version, ...anything, ...rules });
const bindAgent = ({ owner, id }: TestAgent, rules: Partial<Rules>, version = 0) =>
  owner.agora.embassy.setPolicy(id, { version, ...anything, ...rules });
const denied = (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    (error: { code: string; details: object }) => ({ code: error.code, ...error.details }),
  );
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Hours of every day that begin in so many minutes and last one hour. */
function hoursIn(minutes: number) {
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const from = server.clock.now().getTime() + minutes * minute;
  return { timeZone: 'UTC', days: [...weekdays], from: clock(from), to: clock(from + 60 * minute) };
}

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
    await bind(pair.buyer, { operatingHours: hoursIn(30) });
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

describe('what an agent takes', () => {
  const capabilities = [
    { category: 'design' as const, tags: [] },
    { category: 'devops' as const, tags: [] },
  ];
  const design = { taskType: 'design' as const };

  type Setting = (pair: Awaited<ReturnType<typeof makePair>>, version?: number) => Promise<unknown>;
  const ofAgent =
    (rules: () => Partial<Rules>): Setting =>
    ({ agent }, version) =>
      bindAgent(agent, rules(), version);
  const ofOwner =
    (rules: () => Partial<Rules>): Setting =>
    ({ seller }, version) =>
      bind(seller, rules(), version);
  const devops = () => ({ allowedCategories: ['devops' as const] });

  test.each<[string, Setting, Setting]>([
    ['of another category', ofAgent(devops), ofAgent(() => ({}))],
    ['of a category that its owner leaves out', ofOwner(devops), ofOwner(() => ({}))],
    [
      'of a blocked buyer',
      ({ agent, buyer }) => bindAgent(agent, { blockedCounterparties: [buyer.id] }),
      ofAgent(() => ({})),
    ],
    [
      'of a buyer that its owner blocks',
      ({ seller, buyer }) => bind(seller, { blockedCounterparties: [buyer.id] }),
      ofOwner(() => ({})),
    ],
    ['out of its hours', ofAgent(() => ({ operatingHours: hoursIn(180) })), ofAgent(() => ({}))],
    ["out of its owner's hours", ofOwner(() => ({ operatingHours: hoursIn(180) })), ofOwner(() => ({}))],
  ])('is no task %s: no candidate, and a direct hire is 403 without the reason', async (_, close, open) => {
    const pair = await makePair(server, { agent: { capabilities } });
    await close(pair);
    expect(await denied(hire(pair, design))).toEqual({ code: 'POLICY_DENIED' });
    const quote = { ...design, maxBudget: 1000 };
    expect(await denied(pair.buyer.agora.tasks.quote({ ...quote, agentId: pair.agent.id }))).toEqual({
      code: 'POLICY_DENIED',
    });
    expect(await pair.buyer.agora.tasks.quote(quote)).toMatchObject({ candidates: [] });
    expect(await refusalOf(hire(pair, { ...design, agentId: undefined }))).toBe('404 NO_AGENTS_AVAILABLE');
    await open(pair, 1);
    const task = await hire(pair, { ...design, agentId: undefined });
    expect(task).toMatchObject({ agentId: pair.agent.id });
    await pair.buyer.agora.tasks.cancel(task.id);
    await pair.seller.agora.agents.deactivate(pair.agent.id);
  });

  test('is what both policies let it take, also for an agent that is registered after the owner-wide one', async () => {
    const pair = await makePair(server, { agent: { capabilities } });
    await bind(pair.seller, devops());
    const later = await pair.seller.agent({ capabilities });
    const takes = async ({ id }: TestAgent) => {
      const quote = (taskType: 'design' | 'devops') =>
        refusalOf(pair.buyer.agora.tasks.quote({ taskType, agentId: id }));
      return [await quote('design'), await quote('devops')].map((said) => said === 'no refusal');
    };
    for (const agent of [pair.agent, later]) expect(await takes(agent)).toEqual([false, true]);
    await bindAgent(later, { allowedCategories: ['design'] });
    expect(await takes(later)).toEqual([false, false]);
    await bind(pair.seller, {}, 1);
    expect(await takes(later)).toEqual([true, false]);
    for (const { id } of [pair.agent, later]) await pair.seller.agora.agents.deactivate(id);
  });

  test('is right after both policies were changed at once', async () => {
    const pair = await makePair(server, { agent: { capabilities } });
    for (let version = 0; version < 5; version++) {
      await Promise.all([
        bind(pair.seller, { allowedCategories: version % 2 ? ['design'] : null }, version),
        bindAgent(pair.agent, { blockedCounterparties: version % 2 ? [] : [pair.buyer.id] }, version),
      ]);
      const quote = (taskType: 'design' | 'devops') =>
        refusalOf(pair.buyer.agora.tasks.quote({ taskType, agentId: pair.agent.id }));
      expect(await quote('design')).toBe(version % 2 ? 'no refusal' : '403 POLICY_DENIED');
      expect(await quote('devops')).toBe('403 POLICY_DENIED');
    }
    await pair.seller.agora.agents.deactivate(pair.agent.id);
  });

  test('follows its hours as time passes, and a clock that is put back', async () => {
    const pair = await makePair(server, { agent: { capabilities } });
    await bindAgent(pair.agent, { operatingHours: hoursIn(30) });
    const routed = () => refusalOf(hire(pair, { ...design, agentId: undefined, maxBudget: 1000 }));
    expect(await routed()).toBe('404 NO_AGENTS_AVAILABLE');
    await pass(server, 31 * minute);
    const { id } = await hire(pair, { ...design, agentId: undefined });
    await pair.buyer.agora.tasks.cancel(id);
    await pass(server, -20 * minute);
    expect(await routed()).toBe('404 NO_AGENTS_AVAILABLE');
    await pass(server, 2 * 60 * minute);
    expect(await routed()).toBe('404 NO_AGENTS_AVAILABLE');
    await pass(server, day - 60 * minute);
    expect(await routed()).toBe('no refusal');
  });
});

describe('a task that waits, or changes its agent', () => {
  const research = { taskType: 'research' as const, agentId: undefined };
  const offer = { capabilities: [{ category: 'research' as const, tags: [] }], pricing: null };
  const agentOf = async ({ agora }: TestOwner, id: string) => (await agora.tasks.get(id)).agentId;

  test('gets no agent while a policy bars it, keeps none from others, and gets one afterwards', async () => {
    const [pair, other] = [await makePair(server, { agent: offer }), await server.owner({ credits: 10_000 })];
    const busy = await hire(pair, research);
    const waits = await hire(pair, { ...research, waitMinutes: 600 });
    expect(waits.agentId).toBeNull();
    await bind(pair.buyer, { allowedCategories: ['design'] });
    await pair.buyer.agora.tasks.cancel(busy.id);
    await server.app.sweep();
    expect(await agentOf(pair.buyer, waits.id)).toBeNull();
    const theirs = await hire({ buyer: other, agent: pair.agent }, research);
    expect(theirs.agentId).toBe(pair.agent.id);
    await bind(pair.buyer, {}, 1);
    await bindAgent(pair.agent, { blockedCounterparties: [pair.buyer.id] });
    await other.agora.tasks.cancel(theirs.id);
    await server.app.sweep();
    expect(await agentOf(pair.buyer, waits.id)).toBeNull();
    await bindAgent(pair.agent, {}, 1);
    await server.app.sweep();
    await server.app.sweep();
    expect(await agentOf(pair.buyer, waits.id)).toBe(pair.agent.id);
    await pair.buyer.agora.tasks.cancel(waits.id);
    await pair.seller.agora.agents.deactivate(pair.agent.id);
  });

  test('is not given to an agent that was blocked meanwhile', async () => {
    const pairs = [await makePair(server, { agent: offer }), await makePair(server, { agent: offer })];
    const buyer = await server.owner({ credits: 10_000 });
    const { id, agentId } = await buyer.agora.tasks.submit({ taskType: 'research', maxBudget: 500, input: {} });
    const [first, next] = pairs.map(({ agent }) => agent).sort((one) => (one.id === agentId ? -1 : 1));
    await bind(buyer, { blockedCounterparties: [next?.id as string] });
    await first?.agora.tasks.decline(id);
    expect(await buyer.agora.tasks.get(id)).toMatchObject({ status: 'failed', agentId });
    for (const { seller, agent } of pairs) await seller.agora.agents.deactivate(agent.id);
  });

  test('goes in no attempt to a blocked owner', async () => {
    const pairs = [await makePair(server, { agent: offer }), await makePair(server, { agent: offer })] as const;
    const buyer = await server.owner({ credits: 10_000 });
    const submit = () =>
      refusalOf(buyer.agora.tasks.submit({ taskType: 'research', maxBudget: 500, input: {}, attempts: 2 }));
    await bind(buyer, { blockedCounterparties: [pairs[0].seller.id] });
    expect(await submit()).toBe('404 NO_AGENTS_AVAILABLE');
    expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 0 });
    await bind(buyer, { perTransactionMax: 999 }, 1);
    expect(await submit()).toBe('403 POLICY_DENIED');
    await bind(buyer, { perTransactionMax: 1000 }, 2);
    expect(await submit()).toBe('no refusal');
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
