import { expect, test } from 'vitest';
import { hire, makePair, serverForFile } from './scene.ts';

/** Times that are longer than those of an ordinary gate, so that a test takes them. */

const server = serverForFile();

test('a check may take as long as the buyer lets a command take', async () => {
  const pair = await makePair(server);
  const input = {
    description: 'Write b into a.txt.',
    files: { 'a.txt': 'a' },
    environment: { timeouts: { commandMs: 120_000 } },
    acceptance: { checks: [{ name: 'slow', command: 'sleep 62; grep -q b a.txt' }] },
  };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  await tasks.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  await sandbox.write(id, { path: 'a.txt', content: 'b' });
  // The reply comes when the gate has judged, or later than this client waits.
  const patient = pair.agent.agora.withOptions({ timeoutMs: 1_000, maxRetries: 0 });
  await patient.tasks.complete(id, { output: { result: 'There is a b now.' } }).catch(() => undefined);
  await expect
    .poll(async () => (await pair.buyer.agora.tasks.get(id)).status, { timeout: 250_000, interval: 1_000 })
    .toBe('completed');
  const [assessment] = (await pair.buyer.agora.courts.listAssessments({ taskId: id })).data;
  const { criteria } = await pair.buyer.agora.courts.getAssessment(assessment!.id);
  expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: slow', score: 100 }));
}, 300_000);
