import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frame } from '../../../test/support/sandbox/frame.ts';
import { COMPILER, refusal, TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { BwrapDriver } from '../bwrap/bwrap.ts';
import { placeHostFiles } from '../bwrap/host-files.ts';
import { type LaunchPlan, launch } from '../bwrap/launch.ts';
import { createUids } from '../bwrap/uids.ts';
import { kernelLimits } from '../limits.ts';
import { buildNative } from '../native.ts';
import { type AgentRequest, startFrame } from './client.ts';

/**
 * Throws random and mutated frames at an agent built with the address and undefined-behaviour sanitizers. It runs in
 * a sandbox like the real one, since some of what chance makes up are commands.
 */

const NATIVE = fileURLToPath(new URL('../../../native/', import.meta.url));
const WARNINGS = ['-std=c11', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror'];
const SANITIZERS = ['-O1', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
const REPORT = /AddressSanitizer|runtime error|UndefinedBehavior/;

const dir = mkdtempSync(join(tmpdir(), 'agora-fuzz-'));
const installationId = `test-fuzz-${process.pid}`;
const uids = createUids(installationId);

function build(name: string, flags: string[]): string {
  const native = join(dir, name);
  spawnSync('mkdir', ['-p', native]);
  for (const other of ['seccomp.bpf', 'seccomp-degraded.bpf', 'lay'])
    copyFileSync(join(buildNative(), other), join(native, other));
  const run = spawnSync(COMPILER, [...WARNINGS, ...flags, '-o', join(native, 'agent'), '@agent.sources'], {
    cwd: NATIVE,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`The agent did not compile: ${run.error?.message ?? run.stderr}`);
  return native;
}

/** A small generator with a seed, so that a failure can be had again. */
function random(seed: number) {
  let state = seed >>> 0 || 1;
  return (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Caps with room for what a sanitizer says in a child; its stderr comes to us by the agent. */
const REQUESTS: AgentRequest[] = [
  {
    operation: 'exec',
    strings: ['/workspace', 'cat; echo x >f', 'A=b'],
    input: Buffer.alloc(1),
    timeoutMs: 500,
    cap: 5_000,
  },
  { operation: 'exec', strings: ['/', 'sleep 5 & true'], timeoutMs: 50, cap: 5_000 },
  { operation: 'list', strings: ['/workspace', ''], timeoutMs: 500, cap: 5_000 },
  { operation: 'read', strings: ['/workspace', 'f'], timeoutMs: 500, cap: 5_000 },
  {
    operation: 'write',
    strings: ['/workspace', 'a/b/../f', '644'],
    input: Buffer.alloc(1),
    timeoutMs: 500,
    cap: 5_000,
  },
  { operation: 'export', strings: ['/workspace'], timeoutMs: 500, cap: 5_000 },
  { operation: 'export', strings: ['/workspace', '', '', 'a', 'f'], timeoutMs: 500, cap: 5_000 },
  { operation: 'import', strings: ['/workspace'], input: Buffer.alloc(1), timeoutMs: 500, cap: 5_000 },
  { operation: 'export', strings: ['/workspace', '10', '100'], timeoutMs: 500, cap: 5_000 },
  { operation: 'background', strings: ['/workspace', '(sleep 1 &); yes'], timeoutMs: 200, cap: 5_000, windowed: true },
  { operation: 'call', strings: ['/workspace'], input: Buffer.alloc(1), timeoutMs: 300, cap: 5_000, windowed: true },
  { operation: 'exec', strings: ['/', '/agora/delivered cat </etc/passwd'], timeoutMs: 300, cap: 5_000 },
  { operation: 'usage', strings: ['/workspace'], timeoutMs: 500, cap: 16 },
  { operation: 'pause', strings: ['/workspace'], timeoutMs: 500, cap: 0 },
  { operation: 'resume', strings: ['/workspace'], timeoutMs: 500, cap: 0 },
];

/** A record whose head is in order, so that the path and content behind it are looked at. */
function archiveOfNoise(next: (below: number) => number, noise: (length: number) => Buffer): Buffer {
  const head = Buffer.alloc(21);
  head.write('fdl'.charAt(next(3)), 0);
  head.writeUInt16LE(next(0o1000), 1);
  head.writeBigUInt64LE(BigInt(next(2) * next(10_000)), 3);
  head.writeUInt16LE(next(9_000), 19);
  return Buffer.concat([head, noise(next(12_000))]);
}

function attackBytes(seed: number): Buffer {
  const next = random(seed);
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => next(256)));
  if (seed % 5 === 0) return noise(1 + next(5_000));
  const frames: Buffer[] = [];
  let started = 1_000;
  for (let n = 1 + next(30); n > 0; n--) {
    const kind = next(10);
    // Mostly about the request started last, so that what follows meets something.
    if (kind < 5) frames.push(startFrame(++started, REQUESTS[next(REQUESTS.length)]!));
    else if (kind < 7) frames.push(frame(2, started - next(2), noise(next(3) * 50)));
    else if (kind === 7 && next(2) === 0) frames.push(frame(4, started - next(3), noise(4)));
    else if (kind === 7) frames.push(frame(3, started - next(3), Buffer.alloc(0)));
    else if (kind === 8 && next(8) === 0) frames.push(frame(next(30), next(1_000), noise(next(40))));
    else if (kind === 9)
      frames.push(
        startFrame(++started, REQUESTS.find(({ operation }) => operation === 'import')!),
        frame(2, started, archiveOfNoise(next, noise)),
      );
  }
  const all = Buffer.concat(frames);
  for (let flips = seed % 2 === 0 ? 0 : next(6); flips > 0; flips--) all[next(all.length)] = next(256);
  return seed % 7 === 0 ? all.subarray(0, next(all.length)) : all;
}

describe('the agent built with sanitizers', () => {
  let plan: Omit<LaunchPlan, 'uid'>;
  beforeAll(() => {
    const files = placeHostFiles(build('sanitized', SANITIZERS), join(dir, 'place'));
    spawnSync('chmod', ['755', dir]);
    const [bwrap, setpriv] = ['/usr/bin/bwrap', '/usr/bin/setpriv'];
    const rlimits = { memory: false, cpu: false };
    plan = {
      bwrap,
      setpriv,
      files,
      node: undefined,
      limits: TEST_LIMITS,
      mark: `agora/${installationId}/0-0.0`,
      inputDir: files.etc,
      layer: null,
      toolchains: [],
      joinFiles: [],
      rlimits,
    };
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  async function throwAt(bytes: Buffer, patienceMs = 120): Promise<{ code: number | null; said: string }> {
    const uid = uids?.take();
    const child = launch({ ...plan, uid });
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    child.stdin.on('error', () => {});
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
    child.stdin.write(bytes);
    // Time for what was started to answer, before the end of input ends the agent.
    setTimeout(() => child.stdin.end(), patienceMs);
    const timer = setTimeout(() => child.kill('SIGKILL'), 8_000);
    const code = await exit;
    clearTimeout(timer);
    if (uid !== undefined) uids?.release(uid);
    return { code, said: Buffer.concat(said).toString('latin1') };
  }

  it('answers an orderly conversation', async () => {
    const { code, said } = await throwAt(
      startFrame(1, { operation: 'exec', strings: ['/', 'echo fine'], timeoutMs: 2_000, cap: 99 }),
      2_000,
    );
    expect(said).toContain('fine\n');
    expect(said).not.toMatch(REPORT);
    expect(code).toBe(0);
  });

  it.each([
    '\x00\x00\x00\x00',
    '\xff\xff\xff\xff',
    '\x05\x00\x00\x00\x63\x00\x00\x00\x00',
    '\x06\x00\x00\x00\x01\x00\x00\x00\x00x',
  ])('ends at the malformed frame %j', async (bytes) => {
    expect(await throwAt(Buffer.from(bytes, 'latin1'))).toMatchObject({ code: 2 });
  });

  it('ends cleanly whatever it is sent', async () => {
    const first = Number(process.hrtime.bigint() % 1_000_000n);
    const seeds = Array.from({ length: 120 }, (_, n) => first + n);
    const one = async () => {
      for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
        const { code, said } = await throwAt(attackBytes(seed));
        const report = said.match(REPORT) ? said.slice(-4_000) : '';
        expect({ seed, report, ended: code === 0 || code === 2 }).toEqual({ seed, report: '', ended: true });
      }
    };
    await Promise.all([one(), one(), one(), one(), one(), one()]);
  });
});

describe('the agent on a kernel without openat2', () => {
  it('refuses every link instead', async () => {
    const nativeDir = build('without-openat2', ['-O2', '-static', '-DAGORA_WITHOUT_OPENAT2']);
    const driver = new BwrapDriver({ installationId, nativeDir, runtimeDir: join(dir, 'place-2') });
    const box = await driver.create('old', TEST_LIMITS);
    await box.write({ path: 'a/b/c', content: Buffer.from('x') });
    await box.exec({ command: 'ln -s a inside; ln -s / outside; ln -s a/b/c file' });
    expect((await box.read('a//b/./c')).content).toBe('x');
    for (const path of ['inside/b/c', 'outside/etc/passwd', 'file', '../etc/passwd', 'a/../../etc/passwd', 'a/../a']) {
      expect([path, await refusal(box.read(path))]).toEqual([path, 'PATH_ESCAPES']);
      expect([path, await refusal(box.write({ path, content: Buffer.from('y') }))]).toEqual([path, 'PATH_ESCAPES']);
    }
    expect(await refusal(box.read('a/none'))).toBe('FILE_NOT_FOUND');
    expect((await box.list('a/b')).entries.map(({ name }) => name)).toEqual(['c']);
    expect(kernelLimits(TEST_LIMITS).workspaceBytes).toBe(TEST_LIMITS.diskBytes);
    await box.destroy();
    driver.forget();
  });
});
