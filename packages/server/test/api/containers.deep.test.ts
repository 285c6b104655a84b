import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPodman } from '../support/sandbox/podman.ts';
import { hire, makePair, refusalOf, serverForFile } from './scene.ts';

/** Tasks whose sandboxes are containers. */

const engine = await startPodman();
afterAll(() => engine.stop());
/** The engine's image with a file more. */
const other = 'agora-test:other';
beforeAll(() => {
  engine.podman('create', '--name', 'changed', engine.image, 'true');
  engine.podman('cp', fileURLToPath(import.meta.url), 'changed:/etc/only-here');
  engine.podman('commit', '--quiet', 'changed', other);
  engine.podman('rm', 'changed');
});
const containers = () => engine.podman('ps', '--all', '--quiet').split('\n').filter(Boolean);

describe('with an engine', () => {
  const config = {
    SANDBOX_DRIVER: 'docker' as const,
    SANDBOX_DOCKER_HOST: engine.host,
    SANDBOX_DOCKER_IMAGE: engine.image,
    SANDBOX_DOCKER_IMAGES: [other, 'agora-test:third'],
  };
  const server = serverForFile({ config });

  test('a task is worked on, checked and paid in containers, and none is left', async () => {
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
    expect(containers()).toHaveLength(1);
    await tasks.start(id, { sandboxId: made.sandboxId });
    expect((await sandbox.exec(id, { command: 'sh src/add.sh 6 7' })).data.stdout).toBe('13\n');
    expect((await sandbox.exec(id, { command: 'cat /input/src/add.sh; echo x >/input/x' })).data).toMatchObject({
      stdout: 'echo $(($1 + $2))\n',
      exitCode: 2,
    });
    await sandbox.write(id, { path: 'src/add.sh', content: 'echo $(($1 * $2))\n' });
    const done = await tasks.complete(id, { output: { result: 'It multiplies now' } });
    expect(done).toMatchObject({ status: 'completed' });
    const assessment = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
    expect(assessment.criteria).toContainEqual(expect.objectContaining({ name: 'check: multiplies', score: 100 }));
    expect(containers()).toEqual([]);
  });

  test('a task has the image that it asks for', async () => {
    expect((await server.client().system.environments()).images).toEqual([other, 'agora-test:third']);
    const pair = await makePair(server);
    const input = { description: 'Look around', environment: { image: other, cpus: 0.5 } };
    const { id } = await hire(pair, { input });
    const { sandbox, tasks } = pair.agent.agora;
    const { data } = await sandbox.provision(id);
    expect(data).toMatchObject({ status: 'ready', limits: { cpus: 0.5 } });
    const [container = ''] = containers();
    const [{ HostConfig }] = JSON.parse(engine.podman('inspect', container));
    expect(HostConfig).toMatchObject({ CpuQuota: 50_000, CpuPeriod: 100_000 });
    await tasks.start(id, { sandboxId: data.sandboxId });
    expect((await sandbox.exec(id, { command: 'ls /etc/only-here' })).data.stdout).toBe('/etc/only-here\n');
  });

  test('another one is refused with the names of those that are there', async () => {
    const pair = await makePair(server);
    const refused = hire(pair, { input: { description: 'Look around', environment: { image: 'debian:13' } } });
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(`one of the images that this server allows: ${other}, agora-test:third`),
    });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 0 });
  });
});

describe('without its engine', () => {
  const config = {
    SANDBOX_DRIVER: 'docker' as const,
    SANDBOX_DOCKER_HOST: 'unix:///nonexistent/engine.sock',
    SANDBOX_DOCKER_IMAGE: 'x',
  };
  const server = serverForFile({ config });

  test('a sandbox is refused with the reason, and bubblewrap does not step in', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const reason = 'No container engine answers at unix:///nonexistent/engine.sock';
    const refused = pair.agent.agora.sandbox.provision(id);
    expect(await refusalOf(refused)).toBe('503 SANDBOX_UNAVAILABLE');
    await expect(refused).rejects.toThrow(reason);
    const ready = await fetch(`${server.url}/api/v1/ready`).then((reply) => reply.json());
    expect(ready).toMatchObject({
      sandbox: { driver: 'docker', available: false, detail: expect.stringContaining(reason) },
    });
  });
});
