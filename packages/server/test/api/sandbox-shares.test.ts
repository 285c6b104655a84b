import { describe, expect, test } from 'vitest';
import { hireAndStart, makePair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile({ config: { SANDBOX_MAX_LIVE: 5 } });
const use = { command: 'true' };

describe('sandboxes are shared out', () => {
  test('when they become scarce an agent gets its tier’s share, and room by delivering', async () => {
    const [pair, other] = [await makePair(server), await makePair(server)];
    const begun = [await hireAndStart(pair), await hireAndStart(pair), await hireAndStart(pair)];
    const { sandbox, tasks } = pair.agent.agora;
    const tries = await Promise.all(begun.map(({ id }) => refusalOf(sandbox.exec(id, use))));
    // Of three that come at once, any may be the last.
    expect([...tries].sort()).toEqual(['503 SANDBOX_UNAVAILABLE', 'no refusal', 'no refusal']);
    const last = tries.indexOf('503 SANDBOX_UNAVAILABLE');
    const third = begun[last] as (typeof begun)[number];
    const [first, second] = begun.filter((task) => task !== third) as [typeof third, typeof third];
    const others = await hireAndStart(other);
    expect(await refusalOf(other.agent.agora.sandbox.exec(others.id, use))).toBe('no refusal');
    await other.agent.agora.tasks.fail(others.id, { reason: 'enough' });
    expect(await refusalOf(sandbox.exec(third.id, use))).toBe('503 SANDBOX_UNAVAILABLE');
    await tasks.complete(first.id, { output: { result: 'Done' } });
    expect(await refusalOf(sandbox.exec(third.id, use))).toBe('no refusal');
    for (const { id } of [second, third]) await tasks.fail(id, { reason: 'enough' });
  });

  test('all agents together leave a share to the gate', async () => {
    const pairs = await Promise.all(Array.from({ length: 5 }, () => makePair(server)));
    const input = { acceptance: { checks: [{ name: 'passes', command: 'true' }] } };
    const tasks = await Promise.all(pairs.map((pair) => hireAndStart(pair, { input })));
    const provisioned = await Promise.all(
      pairs.map(({ agent }, at) => refusalOf(agent.agora.sandbox.exec(tasks[at]?.id as string, use))),
    );
    expect(provisioned.filter((refusal) => refusal === 'no refusal')).toHaveLength(4);
    expect(provisioned).toContain('503 SANDBOX_UNAVAILABLE');
    const left = provisioned.indexOf('503 SANDBOX_UNAVAILABLE');
    const done = await pairs[left]?.agent.agora.tasks.complete(tasks[left]?.id as string, { output: { result: 'x' } });
    expect(done?.status).toBe('completed');
    await Promise.all(
      pairs.map(({ agent }, at) =>
        agent.agora.tasks.fail(tasks[at]?.id as string, { reason: 'end' }).catch(() => undefined),
      ),
    );
  });
});

describe('no owner takes every sandbox', () => {
  test('neither with many agents nor with many tasks, and the next one is served', async () => {
    const [seller, third] = await Promise.all([makePair(server), makePair(server)]);
    const sisters = [seller.agent, await seller.seller.agent(), await seller.seller.agent()];
    const start = async (buyer: typeof seller.buyer, agent: typeof seller.agent) => {
      const { id } = await hireAndStart({ buyer, agent });
      return {
        refusal: await refusalOf(agent.agora.sandbox.exec(id, use)),
        end: () => agent.agora.tasks.fail(id, { reason: 'end' }),
      };
    };
    // Three agents of one seller, each for another buyer: the third is one too many, whoever pays.
    const buyers = [seller.buyer, third.buyer, (await makePair(server)).buyer];
    const sold = [];
    for (const [n, agent] of sisters.entries()) sold.push(await start(buyers[n] as typeof seller.buyer, agent));
    expect(sold.map(({ refusal }) => refusal)).toEqual(['no refusal', 'no refusal', '503 SANDBOX_UNAVAILABLE']);
    const other = await start(seller.buyer, third.agent);
    expect(other.refusal).toBe('no refusal');
    for (const { end } of [...sold, other]) await end();
    // Three tasks of one buyer with three sellers.
    const sellers = await Promise.all([makePair(server), makePair(server), makePair(server)]);
    const bought = [];
    for (const { agent } of sellers) bought.push(await start(third.buyer, agent));
    expect(bought.map(({ refusal }) => refusal)).toEqual(['no refusal', 'no refusal', '503 SANDBOX_UNAVAILABLE']);
    for (const { end } of bought) await end();
  });
});
