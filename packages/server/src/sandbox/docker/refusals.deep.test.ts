import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lie, type Spec, startLyingEngine } from '../../../test/support/sandbox/lying-engine.ts';
import { startPodman } from '../../../test/support/sandbox/podman.ts';
import { whyRefused } from '../../../test/support/sandbox/refused.ts';
import { DockerDriver } from './docker.ts';
import { encodeTar } from './tar.ts';

/** Whatever the engine does not give, the driver does not run without. */

const installationId = `test-refusals-${process.pid}`;
const engine = await startPodman();
const dir = mkdtempSync(join(tmpdir(), 'agora-lies-'));
afterAll(async () => {
  await engine.stop();
  rmSync(dir, { recursive: true });
});

const make = (more: Partial<ConstructorParameters<typeof DockerDriver>[0]> = {}) =>
  new DockerDriver({ installationId, host: engine.host, image: engine.image, ...more });
describe('what is missing is said', () => {
  it('no engine, and no image', async () => {
    const absent = make({ host: `unix://${join(dir, 'nothing.sock')}` });
    expect(await whyRefused(absent)).toContain('No container engine answers at unix://');
    expect(await absent.probe()).toEqual({ available: false, reason: await whyRefused(absent) });
    // A server without sandboxes must still start.
    await absent.reclaim();
    expect(await whyRefused(make({ image: undefined }))).toContain('SANDBOX_DOCKER_IMAGE');
    expect(await whyRefused(make({ image: 'localhost/nowhere:1' }))).toContain('no image localhost/nowhere:1');
    expect(await whyRefused(make({ nativeDir: dir }))).toContain(`is not in ${dir}`);
  });

  it('an image that brings writable places of its own', async () => {
    const tar = join(engine.host.slice('unix://'.length), '../rootfs.tar');
    engine.podman('import', '--quiet', '--change', 'VOLUME /data', tar, 'agora-volumes:1');
    expect(await whyRefused(make({ image: 'agora-volumes:1' }))).toContain('declares volumes (/data)');
  });

  it('an image without a shell', async () => {
    const empty = join(dir, 'empty.tar');
    writeFileSync(empty, encodeTar([{ path: 'etc/', mode: 0o755 }]));
    engine.podman('import', '--quiet', empty, 'agora-empty:1');
    expect(await whyRefused(make({ image: 'agora-empty:1' }))).toContain('cannot run /bin/sh');
  });

  it('the engine can be cured without a restart of the server', async () => {
    const driver = make({ image: 'agora-late:1' });
    expect(await whyRefused(driver)).toContain('no image agora-late:1');
    engine.podman('tag', engine.image, 'agora-late:1');
    expect(await driver.probe()).toMatchObject({ available: true, enforcement: { limits: 'enforced' } });
  });
});

describe('a runtime is verified, not trusted', () => {
  it('one that the engine silently leaves out is refused', async () => {
    expect(await whyRefused(make({ runtime: 'runsc' }))).toContain('the runtime runsc');
  });

  it('the one it really runs is found', async () => {
    expect(await make({ runtime: engine.runtime }).probe()).toMatchObject({ available: true });
  });
});

const lies: [string, (spec: Spec) => void, RegExp][] = [
  ['memory', ({ HostConfig }) => Object.assign(HostConfig, { Memory: 0, MemorySwap: 0 }), /memory/],
  ['processes', ({ HostConfig }) => Object.assign(HostConfig, { PidsLimit: 0 }), /processes/],
  ['CPU', ({ HostConfig }) => Object.assign(HostConfig, { CpuQuota: 0, CpuPeriod: 0 }), /cpu/i],
  ['a read-only root', ({ HostConfig }) => Object.assign(HostConfig, { ReadonlyRootfs: false }), /read-only \//],
  ['capabilities', ({ HostConfig }) => Object.assign(HostConfig, { CapDrop: [] }), /no capabilities/],
  ['the network', ({ HostConfig }) => Object.assign(HostConfig, { NetworkMode: 'host' }), /network/],
  ['the user', (spec) => Object.assign(spec, { User: '0:0' }), /a user of its own/],
  [
    'the size of /workspace',
    ({ HostConfig }) => Object.assign(HostConfig.Tmpfs as object, { '/workspace': 'rw,exec' }),
    /a size of \/workspace/,
  ],
  [
    'inputs that stay',
    ({ HostConfig }) => Object.assign((HostConfig.Mounts as object[])[0]!, { ReadOnly: false }),
    /input/,
  ],
];

describe('an engine that grants less than it was asked for', () => {
  let lie: Lie | undefined;
  let stop: () => void;
  const socket = join(dir, 'liar.sock');
  beforeAll(async () => {
    stop = await startLyingEngine(socket, engine.host.slice('unix://'.length), () => lie);
  });
  afterAll(() => stop());

  it('serves as long as it does not lie', async () => {
    expect(await make({ host: `unix://${socket}` }).probe()).toMatchObject({ available: true });
  });

  it.each(lies)('is refused over %s, when it says so and when it hides it', async (_what, change, why) => {
    for (const claims of [false, true]) {
      lie = { change, claims };
      expect(await whyRefused(make({ host: `unix://${socket}` }))).toMatch(why);
    }
    expect(engine.podman('ps', '--all', '--quiet')).toBe('');
  });
});
