import { expect, test } from 'vitest';
import { until } from '../support/sandbox/limits.ts';
import { hire, makePair, serverForFile } from './scene.ts';

const server = serverForFile({ config: { SANDBOX_WARM: 1, SANDBOX_MAX_LIVE: 10 } });

const stored = async () =>
  (await server.pool.query('select status, count(*)::int as n from sandboxes group by 1 order by 1')).rows;

test('a task gets a warm sandbox as its own, new like any other, and nobody gets it afterwards', async () => {
  const pair = await makePair(server);
  const { sandbox, tasks } = pair.agent.agora;
  const seen = new Set<string>();
  for (let round = 0; round < 3; round++) {
    await server.app.sweep();
    // The one that stands ready is nobody's and stored nowhere.
    expect((await stored()).filter(({ status }) => status !== 'destroyed')).toEqual([]);
    const { id } = await hire(pair, { input: { code: `task ${round}` } });
    const { data: made } = await sandbox.provision(id);
    expect(made).toMatchObject({ status: 'ready', taskId: id, pause: null });
    seen.add(made.sandboxId);
    expect((await tasks.start(id, { sandboxId: made.sandboxId })).sandboxId).toBe(made.sandboxId);
    const { data } = await sandbox.exec(id, { command: 'cat code; ls -A /tmp; cat /proc/uptime >/tmp/used' });
    expect(data).toMatchObject({ stdout: `task ${round}`, exitCode: 0 });
    await sandbox.startProcess(id, { command: 'sleep 600' });
    await tasks.complete(id, { output: { result: 'Done' } });
    await until(async () => (await stored()).every(({ status }) => status === 'destroyed'));
  }
  expect(seen.size).toBe(3);
});
