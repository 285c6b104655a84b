import { describe, expect, test } from 'vitest';
import { hireAndStart, makePair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile({ config: { SANDBOX_MAX_LIVE: 5 } });
const use = { command: 'true' };

describe('sandboxes are shared out', () => {
  test('an agent has as many alive as its tier has open tasks, and gets room by ending or delivering one', async () => {
    const pair = await makePair(server);
    const [first, second, third] = [await hireAndStart(pair), await hireAndStart(pair), await hireAndStart(pair)];
    const { sandbox, tasks } = pair.agent.agora;
    const tries = await Promise.all([first, second].map(({ id }) => refusalOf(sandbox.exec(id, use))));
    expect(tries.sort()).toEqual(['503 SANDBOX_UNAVAILABLE', 'no refusal']);
    const [living, waiting] =
      (await refusalOf(sandbox.exec(first.id, use))) === 'no refusal' ? [first, second] : [second, first];
    await sandbox.destroy(living.id);
    expect(await refusalOf(sandbox.exec(waiting.id, use))).toBe('no refusal');
    await tasks.complete(waiting.id, { output: { result: 'Done' } });
    expect(await refusalOf(sandbox.exec(third.id, use))).toBe('no refusal');
    await tasks.fail(third.id, { reason: 'enough' });
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
