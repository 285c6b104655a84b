import { describe, expect, test } from 'vitest';
import {
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  serverForFile,
} from './scene.ts';

const server = serverForFile();

async function suspended(): Promise<Pair> {
  const pair = await makePair(server);
  for (let failures = 0; failures < 3; failures++) await hireAndReject(pair);
  return pair;
}

const subHire = ({ agent }: Pick<Pair, 'agent'>, of: Pair) =>
  agent.agora.tasks.submitAsAgent({ taskType: 'general', maxBudget: 1000, input: {}, agentId: of.agent.id });

const statusOf = async ({ seller, agent }: Pair) => (await seller.agora.agents.get(agent.id)).status;

describe('active → deactivated: deactivate', () => {
  test('the agent is deactivated, its key is 401, and it cannot be hired', async () => {
    const pair = await makePair(server);
    const { id, owner } = { id: pair.agent.id, owner: pair.seller.agora };
    expect(await owner.agents.deactivate(id)).toMatchObject({ id, status: 'deactivated' });
    expect(await refusalOf(pair.agent.agora.agents.me())).toBe('401 INVALID_API_KEY');
    expect(await refusalOf(hire(pair))).toBe('400 HIRE_TARGET_NOT_ACTIVE');
    const other = await (await server.owner({ credits: 5000 })).agent();
    expect(await refusalOf(subHire({ agent: other }, pair))).toBe('400 HIRE_TARGET_NOT_ACTIVE');
    expect((await pair.buyer.agora.agents.search({ pageSize: 100 })).data.map((agent) => agent.id)).not.toContain(id);
    expect((await pair.buyer.agora.agents.get(id)).status).toBe('deactivated');
  });

  test('deactivating a deactivated agent is 400', async () => {
    const pair = await makePair(server);
    await pair.seller.agora.agents.deactivate(pair.agent.id);
    const again = pair.seller.agora.agents.deactivate(pair.agent.id);
    expect(await refusalOf(again)).toBe('400 ALREADY_DEACTIVATED');
    expect(await statusOf(pair)).toBe('deactivated');
  });

  test('a task it had not started runs out and is refunded', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hire(pair);
    await pair.seller.agora.agents.deactivate(pair.agent.id);
    await pass(server, 15 * minute);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });
});

describe('deactivated → active: reactivate', () => {
  test('the agent is active, and its old key works again', async () => {
    const pair = await makePair(server);
    await pair.seller.agora.agents.deactivate(pair.agent.id);
    expect(await pair.seller.agora.agents.reactivate(pair.agent.id)).toMatchObject({ status: 'active' });
    expect((await pair.agent.agora.agents.me()).status).toBe('active');
    expect((await hire(pair)).status).toBe('submitted');
  });

  test('reactivating an active agent is 400', async () => {
    const pair = await makePair(server);
    expect(await refusalOf(pair.seller.agora.agents.reactivate(pair.agent.id))).toBe('400 ALREADY_ACTIVE');
  });

  test('only the owner may deactivate, reactivate or rotate', async () => {
    const { buyer, agent } = await makePair(server);
    expect(await refusalOf(buyer.agora.agents.deactivate(agent.id))).toBe('403 NOT_AGENT_OWNER');
    expect(await refusalOf(buyer.agora.agents.reactivate(agent.id))).toBe('403 NOT_AGENT_OWNER');
    expect(await refusalOf(buyer.agora.agents.rotateKey(agent.id))).toBe('403 NOT_AGENT_OWNER');
    expect((await agent.agora.agents.me()).status).toBe('active');
  });
});

describe('active → suspended: three consecutive task failures', () => {
  test('two failures do not suspend, the third does, and the agent is 403 from then on', async () => {
    const pair = await makePair(server);
    await hireAndReject(pair);
    await hireAndReject(pair);
    expect(await pair.agent.agora.agents.me()).toMatchObject({ status: 'active', consecutiveFailures: 2 });
    await hireAndReject(pair);
    expect(await statusOf(pair)).toBe('suspended');
    expect(await refusalOf(pair.agent.agora.agents.me())).toBe('403 AGENT_SUSPENDED');
    expect(await refusalOf(pair.agent.agora.tasks.assigned())).toBe('403 AGENT_SUSPENDED');
    expect(await refusalOf(hire(pair))).toBe('400 HIRE_TARGET_NOT_ACTIVE');
  });

  test('a gate that rejects, a reported failure and a missed deadline count alike', async () => {
    const pair = await makePair(server);
    await hireAndReject(pair);
    await pair.agent.agora.tasks.fail((await hireAndStart(pair)).id, { reason: 'cannot' });
    await hireAndStart(pair);
    await pass(server, 60 * minute);
    expect(await statusOf(pair)).toBe('suspended');
  });

  test('a success between resets the count', async () => {
    const pair = await makePair(server);
    await hireAndReject(pair);
    await hireAndReject(pair);
    await hireAndPass(pair);
    expect(await pair.agent.agora.agents.me()).toMatchObject({ consecutiveFailures: 0 });
    await hireAndReject(pair);
    await hireAndReject(pair);
    expect(await statusOf(pair)).toBe('active');
  });

  test('tasks that were never started and refunds by thumbs-down do not count', async () => {
    const pair = await makePair(server);
    for (let each = 0; each < 3; each++) await hire(pair);
    await pass(server, 15 * minute);
    for (let each = 0; each < 3; each++) {
      const { id } = await hireAndPass(pair);
      await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
    }
    expect(await pair.agent.agora.agents.me()).toMatchObject({ status: 'active', consecutiveFailures: 0 });
  });

  test('the three may fall together', async () => {
    const pair = await makePair(server);
    const ids: string[] = [];
    for (let each = 0; each < 3; each++) ids.push((await hireAndStart(pair)).id);
    await Promise.all(ids.map((id) => pair.agent.agora.tasks.fail(id, { reason: 'cannot' })));
    expect(await statusOf(pair)).toBe('suspended');
    const { rows } = await server.pool.query(
      `select count(*)::int as n from events where type = 'agent.suspended'
      and data ->> 'consecutiveFailures' = '3' and agent_id = (select id from agents where display_name = $1)`,
      [(await pair.seller.agora.agents.get(pair.agent.id)).displayName],
    );
    expect(rows[0].n).toBe(1);
  });
});

describe('suspended → active: owner reactivation', () => {
  test('the key works again, and the next failure alone does not suspend', async () => {
    const pair = await suspended();
    expect(await pair.seller.agora.agents.reactivate(pair.agent.id)).toMatchObject({ status: 'active' });
    await hireAndReject(pair);
    expect(await statusOf(pair)).toBe('active');
    await hireAndReject(pair);
    await hireAndReject(pair);
    expect(await statusOf(pair)).toBe('suspended');
  });

  test('work it had in hand when it was suspended can be finished, and no other begun', async () => {
    const pair = await makePair(server);
    const inHand = await hireAndStart(pair);
    const waiting = await hire(pair);
    for (let failures = 0; failures < 3; failures++) await hireAndReject(pair);
    const { tasks } = pair.agent.agora;
    expect(await refusalOf(tasks.start(waiting.id, { sandboxId: 'x' }))).toBe('403 AGENT_SUSPENDED');
    expect(await refusalOf(tasks.assigned())).toBe('403 AGENT_SUSPENDED');
    expect(await tasks.progress(inHand.id, { percent: 90 })).toMatchObject({ percent: 90 });
    expect((await tasks.complete(inHand.id, { output: { result: 'Done after all' } })).status).toBe('completed');
  });

  test('a suspended agent can be deactivated, and comes back active', async () => {
    const pair = await suspended();
    await pair.seller.agora.agents.deactivate(pair.agent.id);
    expect(await refusalOf(pair.agent.agora.agents.me())).toBe('401 INVALID_API_KEY');
    expect((await pair.seller.agora.agents.reactivate(pair.agent.id)).status).toBe('active');
  });
});

describe('keys', () => {
  test('a rotated key is 401 at once and the new one works', async () => {
    const { seller, agent } = await makePair(server);
    const { apiKey } = await seller.agora.agents.rotateKey(agent.id);
    expect(apiKey).toMatch(/^ac_live_/);
    expect(await refusalOf(agent.agora.agents.me())).toBe('401 INVALID_API_KEY');
    expect((await server.client({ agentKey: apiKey }).agents.me()).id).toBe(agent.id);
  });

  test('the key of an agent that is deactivated or suspended can be rotated, and works once it is active', async () => {
    const deactivated = await makePair(server);
    await deactivated.seller.agora.agents.deactivate(deactivated.agent.id);
    for (const [pair, before] of [
      [deactivated, '401 INVALID_API_KEY'],
      [await suspended(), '403 AGENT_SUSPENDED'],
    ] as const) {
      const { seller, agent } = pair;
      const { apiKey } = await seller.agora.agents.rotateKey(agent.id);
      const renewed = server.client({ agentKey: apiKey }).agents;
      expect(await refusalOf(renewed.me())).toBe(before);
      await seller.agora.agents.reactivate(agent.id);
      expect([(await renewed.me()).id, await refusalOf(agent.agora.agents.me())]).toEqual([
        agent.id,
        '401 INVALID_API_KEY',
      ]);
    }
  });
});

describe('smart routing', () => {
  const submit = ({ buyer }: Pick<Pair, 'buyer'>, maxBudget = 1000) =>
    buyer.agora.tasks.submit({ taskType: 'data_analysis', maxBudget, input: { description: 'Count' } });
  const analyst = { capabilities: [{ category: 'data_analysis' as const, tags: [] }] };

  /** Each case makes the only agent of the category unfit; routing must find nobody, and somebody once it is fit. */
  test.each<[string, (pair: Pair) => Promise<unknown>, ((pair: Pair) => Promise<unknown>) | null]>([
    ['suspended', (pair) => setStatus(pair, 'suspended'), (pair) => pair.seller.agora.agents.reactivate(pair.agent.id)],
    [
      'deactivated',
      (pair) => pair.seller.agora.agents.deactivate(pair.agent.id),
      (pair) => pair.seller.agora.agents.reactivate(pair.agent.id),
    ],
    ['busy', (pair) => be(pair, 'busy'), (pair) => be(pair, 'available')],
    ['offline', (pair) => be(pair, 'offline'), (pair) => be(pair, 'available')],
    ['full', (pair) => hireAndStart(pair), (pair) => pass(server, 60 * minute).then(() => pair)],
    ['too dear', (pair) => price(pair, 1001), (pair) => price(pair, 1000)],
    ['of another category', (pair) => offer(pair, 'design'), (pair) => offer(pair, 'data_analysis')],
  ])('skips an agent that is %s', async (_name, spoil, mend) => {
    const pair = await makePair(server, { agent: analyst });
    await spoil(pair);
    expect(await refusalOf(submit(pair))).toBe('404 NO_AGENTS_AVAILABLE');
    await mend?.(pair);
    const task = await submit(pair);
    expect(task.agentId).toBe(pair.agent.id);
    // Or it would be given to the agent of the next case when its time to accept runs out.
    await pair.buyer.agora.tasks.cancel(task.id);
    await pair.seller.agora.agents.deactivate(pair.agent.id);
  });

  test('takes the agent with the better reputation', async () => {
    const pair = await makePair(server, { agent: analyst });
    const better = await pair.seller.agent(analyst);
    const acceptance = { schema: { type: 'string', pattern: '^Debits' } };
    await hireAndPass({ buyer: pair.buyer, agent: better }, { input: { description: 'Write a haiku', acceptance } });
    expect((await submit(pair)).agentId).toBe(better.id);
    // The better one is full now, so the next task goes to the other.
    expect((await submit(pair)).agentId).toBe(pair.agent.id);
    expect(await refusalOf(submit(pair))).toBe('404 NO_AGENTS_AVAILABLE');
  });

  test('security_audit goes to agents of category security', async () => {
    const pair = await makePair(server, { agent: { capabilities: [{ category: 'security', tags: [] }] } });
    const task = await pair.buyer.agora.tasks.submit({ taskType: 'security_audit', maxBudget: 1000, input: {} });
    expect(task).toMatchObject({ agentId: pair.agent.id, taskType: 'security_audit', status: 'routing' });
  });
});

const setStatus = async (pair: Pair, status: string) => {
  const { displayName } = await pair.agent.agora.agents.me();
  await server.pool.query('update agents set status = $1 where display_name = $2', [status, displayName]);
};
const be = (pair: Pair, availability: 'available' | 'busy' | 'offline') =>
  pair.agent.agora.agents.updateMe({ availability });
const price = (pair: Pair, baseRate: number) =>
  pair.agent.agora.agents.updateMe({ pricing: { model: 'per_task', baseRate, currency: 'USD' } });
const offer = (pair: Pair, category: 'design' | 'data_analysis') =>
  pair.agent.agora.agents.updateMe({ capabilities: [{ category, tags: [] }] });
