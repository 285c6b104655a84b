import { request } from 'node:http';
import { containerSpec, createSandboxDriver, DEFAULT_LIMITS, type Sandbox } from '@agora-market/server/sandbox';
import { startPodman, type TestEngine } from './measure/podman.ts';
import type { Sizes } from './sandbox-http.ts';

/**
 * Measures a container as sandbox, beside the engine itself in the same run: the same container created and started by
 * two plain calls, and a bare one without limits, disks or checks.
 */

export interface DockerTimes {
  /** Ours, to a checked sandbox whose agent has answered. */
  start: number[];
  same: number[];
  bare: number[];
  exec: number[];
  destroy: number[];
}

/** Straight to the socket, with no client library between. */
function call(socketPath: string, method: string, path: string, body?: unknown): Promise<{ Id: string }> {
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path, headers }, async (answer) => {
      let said = '';
      for await (const part of answer) said += String(part);
      if (answer.statusCode && answer.statusCode < 300) resolve(said ? JSON.parse(said) : { Id: '' });
      else reject(new Error(`${method} ${path}: ${said}`));
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function timeEngine(socketPath: string, spec: object): Promise<number> {
  const started = performance.now();
  const { Id } = await call(socketPath, 'POST', '/containers/create', spec);
  await call(socketPath, 'POST', `/containers/${Id}/start`);
  const taken = performance.now() - started;
  // One whose input nobody holds ends by itself, and may be gone before.
  await call(socketPath, 'DELETE', `/containers/${Id}?force=1&v=1`).catch(() => undefined);
  return taken;
}

function specs(engine: TestEngine): { same: object; bare: object } {
  const image = engine.podman('images', '--format', '{{.Repository}}:{{.Tag}}').match(/\S*agora-sandbox:\S+/)?.[0];
  if (!image) throw new Error('the driver has fitted no image out');
  const plan = { name: '', image, limits: DEFAULT_LIMITS, mark: 'bench', uid: 1_899_999_999, labels: {} };
  const { name: _, ...same } = containerSpec({ ...plan, runtime: undefined, isPodman: true });
  const Ulimits = same.HostConfig?.Ulimits;
  const bare = { Image: engine.image, Cmd: ['sleep', '60'], HostConfig: { NetworkMode: 'none', Ulimits } };
  return { same, bare };
}

async function timeExec(box: Sandbox, rounds: number): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await box.exec({ command: 'true' });
    taken.push(performance.now() - started);
  }
  return taken;
}

export async function dockerTimes({ rounds, starts }: Sizes): Promise<DockerTimes> {
  const engine = await startPodman();
  try {
    const docker = { host: engine.host, image: engine.image };
    const driver = createSandboxDriver({ installationId: `bench-${process.pid}`, driver: 'docker', docker });
    const probe = await driver.probe();
    if (!probe.available) throw new Error(probe.reason);
    const { same, bare } = specs(engine);
    const socketPath = engine.host.slice('unix://'.length);
    const times: DockerTimes = { start: [], same: [], bare: [], exec: [], destroy: [] };
    for (let round = -2; round < starts; round++) {
      const engineTook = await timeEngine(socketPath, same);
      const bareTook = await timeEngine(socketPath, bare);
      const started = performance.now();
      const box = await driver.create('bench', DEFAULT_LIMITS);
      const ready = performance.now();
      await box.destroy();
      if (round < 0) continue;
      times.same.push(engineTook);
      times.bare.push(bareTook);
      times.start.push(ready - started);
      times.destroy.push(performance.now() - ready);
    }
    const box = await driver.create('bench', DEFAULT_LIMITS);
    times.exec = await timeExec(box, rounds);
    await box.destroy();
    return times;
  } finally {
    await engine.stop();
  }
}
