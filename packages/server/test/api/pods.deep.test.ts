import { afterAll, expect, test } from 'vitest';
import { startCluster } from '../support/kubernetes/cluster.ts';
import { writeTemplate } from '../support/kubernetes/driver.ts';
import { hire, makePair, serverForFile } from './scene.ts';

/** Tasks whose sandboxes are Pods. */

const cluster = await startCluster();
afterAll(() => cluster.stop());
// The library looks for it there.
process.env.KUBECONFIG = cluster.kubeconfig;

const server = serverForFile({
  config: {
    SANDBOX_DRIVER: 'kubernetes' as const,
    SANDBOX_KUBERNETES_IMAGE: cluster.image,
    SANDBOX_KUBERNETES_AGENT_IMAGE: cluster.agentImage,
    SANDBOX_KUBERNETES_TEMPLATE: writeTemplate(cluster),
    SANDBOX_MEMORY_BYTES: 96 << 20,
    SANDBOX_DISK_BYTES: 16 << 20,
  },
});
const pods = async () =>
  (await cluster.call<{ items: unknown[] }>('GET', '/api/v1/namespaces/default/pods')).body.items.length;

test('a task is worked on, checked and paid in Pods, and none is left', async () => {
  const pair = await makePair(server);
  const input = {
    description: 'Make add.sh multiply',
    files: { 'src/add.sh': 'echo $(($1 + $2))\n' },
    acceptance: { checks: [{ name: 'multiplies', command: 'test "$(sh src/add.sh 6 7)" = 42' }] },
  };
  const { id } = await hire(pair, { input });
  const { sandbox, tasks } = pair.agent.agora;
  const { data: made } = await sandbox.provision(id);
  expect(made).toMatchObject({ status: 'ready', enforcement: { limits: 'enforced' } });
  // That of the probe may not have gone to the end.
  await expect.poll(pods).toBe(1);
  await tasks.start(id, { sandboxId: made.sandboxId });
  expect((await sandbox.exec(id, { command: 'cat /input/src/add.sh; echo x >/input/x' })).data).toMatchObject({
    stdout: 'echo $(($1 + $2))\n',
    exitCode: 2,
  });
  await sandbox.write(id, { path: 'src/add.sh', content: 'echo $(($1 * $2))\n' });
  const done = await tasks.complete(id, { output: { result: 'It multiplies now' } });
  expect(done).toMatchObject({ status: 'completed' });
  const assessment = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
  expect(assessment.criteria).toContainEqual(expect.objectContaining({ name: 'check: multiplies', score: 100 }));
  await expect.poll(pods).toBe(0);
});
