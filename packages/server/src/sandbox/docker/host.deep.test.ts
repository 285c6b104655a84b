import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { fromSources } from '../../../test/support/from-sources.ts';
import { TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { startPodman } from '../../../test/support/sandbox/podman.ts';
import { Uids } from '../bwrap/uids.ts';
import { DockerDriver } from './docker.ts';

/** What the docker driver does to the engine and the host around its sandboxes. */

const installationId = `test-engine-${process.pid}`;
const engine = await startPodman();
afterAll(() => engine.stop());
// What a failed test leaves must not count in the next.
afterEach(() => {
  for (const id of containers()) engine.podman('rm', '--force', id);
});

const make = (more: Partial<ConstructorParameters<typeof DockerDriver>[0]> = {}) =>
  new DockerDriver({ installationId, host: engine.host, image: engine.image, ...more });
const containers = () => engine.podman('ps', '--all', '--quiet', '--no-trunc').split('\n').filter(Boolean);
const volumes = () => engine.podman('volume', 'ls', '--quiet').split('\n').filter(Boolean);

function hostProcesses(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text);
    } catch {
      return false;
    }
  });
}

const agents = () => hostProcesses(`agora-docker/agora-${installationId}-`);

async function eventually(what: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !what(); tries++) await sleep(50);
  return what();
}

async function startVictim() {
  const script = fileURLToPath(new URL('../../../test/support/sandbox/docker-crash-victim.ts', import.meta.url));
  const victim = spawn(process.execPath, [...fromSources, script, installationId, engine.host, engine.image], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    victim.stdout.on('data', (bytes) => String(bytes).includes('running') && resolve());
    victim.on('exit', () => reject(new Error('the victim ended by itself')));
  });
  return victim;
}

describe('the docker driver on its engine', () => {
  it('leaves no process, no container and no volume behind', async () => {
    const driver = make();
    const boxes = await Promise.all([1, 2, 3].map((n) => driver.create(`box-${n}`, TEST_LIMITS)));
    await Promise.all(boxes.map((box) => box.exec({ command: 'sleep 4321 & (setsid sleep 4321 &)' })));
    expect(agents()).toHaveLength(3);
    // Their shells have started them, but the last may not have become what they are to be.
    expect(await eventually(() => hostProcesses('sleep 4321').length >= 6)).toBe(true);
    expect([containers().length, volumes().length]).toEqual([3, 3]);
    await Promise.all(boxes.map((box) => box.destroy()));
    expect(hostProcesses('sleep 4321')).toEqual([]);
    expect([agents(), containers(), volumes()]).toEqual([[], [], []]);
  });

  it('gives each live sandbox a user of its own, who is nobody on the host', async () => {
    const driver = make();
    const boxes = await Promise.all([1, 2].map((n) => driver.create(`uid-${n}`, TEST_LIMITS)));
    const uids = agents().map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8').match(/^Uid:\s+(\d+)/m)![1]);
    expect(new Set(uids).size).toBe(2);
    for (const uid of uids) expect(Number(uid)).toBeGreaterThan(1_000_000_000);
    expect(await boxes[0]!.exec({ command: 'id -u; whoami' })).toMatchObject({
      stdout: expect.stringMatching(/^\d+\nagent\n$/),
    });
    await Promise.all(boxes.map((box) => box.destroy()));
  });

  it('never shares a user with a container of another server of the installation', async () => {
    const theirs = await make().create('theirs', TEST_LIMITS);
    const [name = ''] = engine.podman('ps', '--format', '{{.Names}}').split('\n');
    const taken = Number(name.match(/\d+$/)?.[0]);
    const take = vi.spyOn(Uids.prototype, 'take').mockReturnValueOnce(taken).mockReturnValueOnce(taken);
    const ours = await make().create('ours', TEST_LIMITS);
    expect(take).toHaveBeenCalledTimes(3);
    take.mockRestore();
    const uids = agents().map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8').match(/^Uid:\s+(\d+)/m)![1]);
    expect(uids).toContain(String(taken));
    expect(new Set(uids).size).toBe(2);
    await Promise.all([theirs.destroy(), ours.destroy()]);
  });

  it('fits the image out once, and takes the former one away', async () => {
    const images = () => engine.podman('images', '--format', '{{.Repository}}:{{.Tag}}').match(/agora-sandbox:\S+/g);
    const before = images();
    expect(before).toHaveLength(1);
    const box = await make().create('again', TEST_LIMITS);
    await box.destroy();
    expect(images()).toEqual(before);
    engine.podman('tag', engine.image, 'agora-other:1');
    engine.podman(
      'import',
      '--quiet',
      '--change',
      'CMD ["other"]',
      `${engine.host.slice(7, -'api.sock'.length)}rootfs.tar`,
      'agora-other:1',
    );
    // One that the operator names besides stays, and so does what was made of the first.
    const both = make({ images: ['agora-other:1'] });
    await (await both.create('named', TEST_LIMITS, { image: 'agora-other:1' })).destroy();
    expect(images()).toHaveLength(2);
    await (await both.create('again', TEST_LIMITS)).destroy();
    expect(images()).toHaveLength(2);
    await (await make({ image: 'agora-other:1' }).create('other', TEST_LIMITS)).destroy();
    expect(images()).toHaveLength(1);
    expect(images()).not.toEqual(before);
  });

  it('notices when a sandbox ends by itself, and cleans up after it', async () => {
    const box = await make().create('ends', TEST_LIMITS);
    const pending = box.exec({ command: 'sleep 60' });
    process.kill(Number(agents()[0]), 'SIGKILL');
    await expect(pending).rejects.toMatchObject({ code: 'SANDBOX_GONE' });
    await box.closed;
    expect([containers(), volumes()]).toEqual([[], []]);
    await box.destroy();
  });

  it('keeps processes below their memory also when they stay far below what the kernel allows', async () => {
    const box = await make().create('memory', { ...TEST_LIMITS, memoryBytes: 48 << 20, diskBytes: 256 << 20 });
    // 48 MiB for processes, and a kernel's ceiling of some 440 MiB: only the agent's look stops this one.
    const hog = 'perl -e \'$x = "a" x 120000000; sleep 5; print qq(kept\\n)\'';
    expect(await box.exec({ command: hog })).toMatchObject({ exitCode: 137, stdout: '' });
    // A full disk is no reason to end anything, though the kernel counts it as memory as well.
    const full = 'head -c 200000000 /dev/zero >full; sleep 0.5; ls -s full | cut -d" " -f2';
    expect((await box.exec({ command: full })).stdout).toBe('full\n');
    await box.destroy();
  });

  it('ends a thrashing sandbox in a moment', async () => {
    const box = await make().create('thrash', { ...TEST_LIMITS, cpus: 0.1 });
    const work =
      'for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; (while :; do head -c 60000000 /dev/zero | tail; done) &';
    await box.exec({ command: work });
    await sleep(500);
    const started = performance.now();
    await box.destroy();
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(agents()).toEqual([]);
  });
});

describe('after a server was killed', () => {
  it('the engine ends its containers, since nobody is attached any more', async () => {
    const victim = await startVictim();
    expect(agents()).toHaveLength(2);
    victim.kill('SIGKILL');
    expect(await eventually(() => agents().length === 0 && hostProcesses('sleep 8642').length === 0)).toBe(true);
    expect(await eventually(() => containers().length === 0)).toBe(true);
    expect(volumes()).toEqual([]);
  });

  it('the next start ends what is left of it, and nothing of a live server', async () => {
    const mine = await make().create('mine', TEST_LIMITS);
    const victim = await startVictim();
    await make().reclaim();
    expect(containers()).toHaveLength(3);
    const theirs = agents().filter((pid) => hostProcesses('sleep 8642').length > 0 && pid);
    expect(theirs).toHaveLength(3);
    // Frozen, its agents do not notice that their input has ended.
    const frozen = containers().slice();
    for (const id of frozen) engine.podman('pause', id);
    victim.kill('SIGKILL');
    await new Promise((resolve) => victim.once('exit', resolve));
    expect(containers()).toHaveLength(3);
    await make().reclaim();
    expect(containers()).toHaveLength(1);
    engine.podman('unpause', containers()[0]!);
    expect((await mine.exec({ command: 'echo alive' })).stdout).toBe('alive\n');
    await mine.destroy();
    expect(containers()).toEqual([]);
  });
});
