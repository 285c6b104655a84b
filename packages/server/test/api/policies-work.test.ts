import { describe, expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { bind, bindAgent, denied, hoursIn, type Rules } from './policy.ts';
import { day, hire, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

/** What policies say of the work that agents take. */

const server = serverForFile();

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
    ['out of its hours', ofAgent(() => ({ operatingHours: hoursIn(server, 180) })), ofAgent(() => ({}))],
    ["out of its owner's hours", ofOwner(() => ({ operatingHours: hoursIn(server, 180) })), ofOwner(() => ({}))],
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
    await bindAgent(pair.agent, { operatingHours: hoursIn(server, 30) });
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
