import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { day, hireAndStart, makePair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();

/** A task whose agent has its sandbox. */
async function executing() {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, { input: { description: 'Mend it', code: 'x' } });
  const exec = (command: string, label?: string) =>
    pair.agent.agora.sandbox.exec(id, { command, ...(label !== undefined && { label }) });
  const read = async (agora = pair.buyer.agora) => {
    await server.app.sweep();
    return Array.fromAsync(agora.tasks.commands(id, { pageSize: 2 }));
  };
  return { pair, id, exec, read };
}

describe('the commands of an agent', () => {
  test('are told to both parties with their time and end, by name or in words, and nothing of what they say and print', async () => {
    const { pair, id, exec, read } = await executing();
    await exec('/bin/echo hush-hush');
    await exec('TOKEN=hush-hush; exit 3');
    await exec('cat hush-hush', 'Reads the plan');
    for await (const _ of pair.agent.agora.sandbox.execStream(id, { command: 'true hush-hush' }));
    const told = await read();
    expect(told.map(({ label, exitCode, running }) => [label, exitCode, running])).toEqual([
      ['echo', 0, false],
      ['sh', 3, false],
      ['Reads the plan', 1, false],
      ['true', 0, false],
    ]);
    for (const { agentId, startedAt, durationMs, timedOut } of told) {
      expect({ agentId, startedAt, timedOut }).toEqual({
        ...{ agentId: pair.agent.id, timedOut: false },
        startedAt: server.clock.now().toISOString(),
      });
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
    expect(JSON.stringify(told)).not.toContain('hush');
    expect(await read(pair.agent.agora)).toEqual(told);
    expect(await read(pair.seller.agora)).toEqual(told);
    expect((await pair.seller.agora.tasks.events(id)).data).toEqual((await pair.agent.agora.tasks.events(id)).data);
  });

  test('are seen while they run', async () => {
    const { pair, id, exec, read } = await executing();
    const running = exec('until [ -e go-on ]; do sleep 0.02; done', 'Waits');
    await expect
      .poll(() => read())
      .toMatchObject([{ label: 'Waits', running: true, durationMs: null, exitCode: null }]);
    await pair.agent.agora.sandbox.write(id, { path: 'go-on', content: '' });
    await running;
    expect(await read()).toMatchObject([{ label: 'Waits', running: false, exitCode: 0 }]);
  });

  test('are kept up to a number, and go with the input of the task', async () => {
    const { pair, id, exec, read } = await executing();
    await exec('true');
    expect(await read()).toHaveLength(1);
    const taskId = toUuid('task', id);
    await server.pool.query(
      `insert into task_commands (id, task_id, agent_id, label, at)
       select gen_random_uuid(), task_id, agent_id, 'many', at from task_commands, generate_series(1, 1999) where task_id = $1`,
      [taskId],
    );
    await exec('true');
    const kept = async () => {
      await server.app.sweep();
      const found = await server.pool.query('select count(*) from task_commands where task_id = $1', [taskId]);
      return Number(found.rows[0].count);
    };
    expect(await kept()).toBe(2000);
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
    server.clock.advance(60 * day);
    expect(await kept()).toBe(0);
  });

  test('are for the parties alone', async () => {
    const [{ id }, stranger] = await Promise.all([executing(), makePair(server)]);
    expect(await refusalOf(stranger.buyer.agora.tasks.commands(id))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(stranger.agent.agora.tasks.commands(id))).toBe('403 NOT_A_PARTY');
  });

  test.each(['', ' ', 'two\nlines', 'x'.repeat(201)])('take no label %j', async (label) => {
    const { exec } = await executing();
    expect(await refusalOf(exec('true', label))).toBe('400 VALIDATION_ERROR');
  });
});
