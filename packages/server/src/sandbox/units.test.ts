import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { refusal, TEST_LIMITS } from '../../test/support/sandbox/limits.ts';
import { AgentClient } from './agent/client.ts';
import { decodeListing, decodeText, fitting } from './agent/decode.ts';
import { Cgroup } from './bwrap/cgroup.ts';
import { findGroupHomes } from './bwrap/cgroup-tree.ts';
import { Uids, uidRange } from './bwrap/uids.ts';

const bytes = (...parts: (number | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));
const reply = (type: number, id: number, payload: Buffer) => {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(payload.length + 5, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32LE(id, 5);
  return Buffer.concat([head, payload]);
};
const HELLO = reply(16, 0, bytes(1));
const END = (id: number) => reply(20, id, bytes(7, 0, 0, 0, 0));

describe('the host end of the protocol', () => {
  function connect() {
    const broken: string[] = [];
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    stdin.resume();
    const client = new AgentClient(stdin, stdout, (why) => broken.push(why));
    const ask = () => client.request({ operation: 'exec', strings: ['/', 'true'], timeoutMs: 1_000, cap: 10 });
    return { client, stdout, broken, ask };
  }

  it('puts frames together however they are cut', async () => {
    const { client, stdout, ask } = connect();
    const answer = ask();
    for (const byte of Buffer.concat([HELLO, reply(17, 1, bytes('out')), reply(18, 1, bytes('err')), END(1)])) {
      stdout.write(Buffer.from([byte]));
    }
    await client.ready;
    const { status, stdout: out, stderr } = await answer;
    expect([status, String(out), String(stderr)]).toEqual([7, 'out', 'err']);
  });

  it.each([
    ['a length that is too small', bytes(4, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['a length that is too large', bytes(255, 255, 255, 127, 0, 0, 0, 0, 0)],
    ['another version', reply(16, 0, bytes(9))],
    ['an unknown type', reply(99, 1, bytes('x'))],
    ['an answer to nothing', END(5)],
    ['more output than was asked for', reply(17, 1, Buffer.alloc(11))],
    ['an end without a status', reply(20, 1, bytes(1))],
  ])('gives the sandbox up after %s', async (_, frame) => {
    const { stdout, broken, ask } = connect();
    const answer = refusal(ask());
    stdout.write(frame);
    expect(await answer).toBe('SANDBOX_GONE');
    expect(broken).toHaveLength(1);
    expect(await refusal(ask())).toBe('SANDBOX_GONE');
    stdout.write(END(1));
  });
});

describe('decoding', () => {
  it('cuts no character in two', () => {
    expect(decodeText(Buffer.from('aé').subarray(0, 2), true)).toBe('a');
    expect(decodeText(Buffer.from('a😀').subarray(0, 4), true)).toBe('a');
    expect(decodeText(Buffer.from('aé'), true)).toBe('aé');
  });

  it('keeps as much output as takes twice its cap in a reply, where control characters are six', () => {
    const lines = Buffer.from('one\ttwo\r\n'.repeat(100));
    expect(fitting(lines, lines.length)).toBe(lines);
    const zeros = Buffer.alloc(1200);
    expect(fitting(zeros, 1200)).toHaveLength(400);
    expect(JSON.stringify(fitting(zeros, 1200).toString())).toHaveLength(2400 + 2);
    expect(fitting(Buffer.concat([lines, zeros]), 2200)).toHaveLength(900 + 583);
  });

  it('refuses a made-up listing and survives made-up dates', () => {
    expect(() => decodeListing(bytes(0, 'f', 1, 2, 3), '/workspace')).toThrow('damaged');
    expect(() => decodeListing(Buffer.alloc(0), '/workspace')).toThrow('damaged');
    const record = Buffer.alloc(20);
    record.write('f');
    record.writeBigInt64LE(2n ** 62n, 9);
    record.writeUInt16LE(1, 17);
    record.write('x', 19);
    const listing = () => decodeListing(Buffer.concat([Buffer.of(1), record]), '/workspace');
    expect(listing()).toMatchObject({ next: '78', truncated: false });
    expect(listing().entries[0]).toMatchObject({
      name: 'x',
      modifiedAt: '+275760-09-13T00:00:00.000Z',
    });
    record.writeUInt16LE(500, 17);
    expect(listing).toThrow('damaged');
  });
});

describe('user ids', () => {
  it('come from a block of the installation, or from what a container maps', () => {
    const whole = uidRange('a', '         0          0 4294967295');
    expect(whole.first).toBeGreaterThanOrEqual(1_900_000_000);
    expect(whole).not.toEqual(uidRange('b', '0 0 4294967295'));
    expect(uidRange('a', '0 1000 1\n1 100000 65536')).toEqual({ first: 32_769, count: 32_768 });
  });

  it('are never shared, and free again afterwards', () => {
    const uids = new Uids({ first: 100, count: 3 });
    const taken = [uids.take(), uids.take(), uids.take()];
    expect(new Set(taken)).toEqual(new Set([100, 101, 102]));
    expect(() => uids.take()).toThrow('taken');
    uids.release(101);
    expect(uids.take()).toBe(101);
  });
});

describe('control groups', () => {
  let root: string;
  afterEach(() => rmSync(root, { recursive: true }));

  /** Plain directories in the shape of cgroupfs: they show what is written where, not that a kernel obeys. */
  function fake(version: 1 | 2, own: string) {
    root = mkdtempSync(join(tmpdir(), 'agora-groups-'));
    const mounts = version === 2 ? [''] : ['memory', 'pids', 'cpu,cpuacct'];
    for (const name of mounts) mkdirSync(join(root, name, own), { recursive: true });
    if (version === 2) writeFileSync(join(root, 'cgroup.controllers'), 'cpuset cpu io memory pids');
    if (version === 2) writeFileSync(join(root, 'cgroup.subtree_control'), '');
    const line = (name: string) =>
      version === 2
        ? `30 20 0:26 / ${root} rw - cgroup2 cgroup2 rw`
        : `31 20 0:27 / ${join(root, name)} rw shared:1 - cgroup cgroup rw,${name}`;
    return { mountinfo: mounts.map(line).join('\n'), ownGroups: `0::${own}\n` };
  }

  it('of version 2 are made in one tree, with the files of that version', () => {
    const sources = fake(2, '/user.slice');
    const found = findGroupHomes('agora-x', sources);
    expect(found).toEqual({
      homes: [{ version: 2, dir: join(root, 'agora-x'), controllers: ['memory', 'pids', 'cpu'] }],
      missing: {},
    });
    expect(readFileSync(join(root, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu');
    mkdirSync(join(root, 'agora-x', 'one'));
    for (const file of ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.max']) {
      writeFileSync(join(root, 'agora-x', 'one', file), '0');
    }
    new Cgroup(found.homes, 'one').create({ ...TEST_LIMITS, cpus: 0.5 });
    const value = (file: string) => readFileSync(join(root, 'agora-x', 'one', file), 'utf8');
    expect([value('cpu.max'), value('memory.swap.max'), value('pids.max')]).toEqual(['50000 100000', '0', '112']);
    expect(Number(value('memory.max'))).toBeGreaterThan(TEST_LIMITS.memoryBytes + TEST_LIMITS.diskBytes);
  });

  it('of version 1 are made in a tree for each controller', () => {
    const { homes, missing } = findGroupHomes('agora-x', fake(1, '/'));
    expect(missing).toEqual({});
    expect(homes.map(({ dir, controllers }) => [dir.slice(root.length), controllers])).toEqual([
      ['/memory/agora-x', ['memory']],
      ['/pids/agora-x', ['pids']],
      ['/cpu,cpuacct/agora-x', ['cpu', 'cpuacct']],
    ]);
  });

  it('that cannot be made are named, with the reason', () => {
    const sources = fake(2, '/');
    writeFileSync(join(root, 'cgroup.controllers'), 'cpu');
    const { homes, missing } = findGroupHomes('agora-x', sources);
    expect(homes[0]?.controllers).toEqual(['cpu']);
    expect(missing).toEqual({ memory: expect.stringContaining('no such'), pids: expect.stringContaining('no such') });
  });

  /** A process that is no member of any group, though one of them lists its number; what ended it, after `work`. */
  async function endOfStranger(work: (pid: number) => Promise<void>): Promise<string | null> {
    const stranger = spawn('sleep', ['60']);
    await once(stranger, 'spawn');
    const ended = once(stranger, 'exit');
    await work(stranger.pid!);
    stranger.kill('SIGTERM');
    return (await ended)[1];
  }

  it('leave a process alone that has the number of a member which ended meanwhile', async () => {
    const { homes } = findGroupHomes('agora-x', fake(1, '/'));
    for (const { dir } of homes) mkdirSync(join(dir, 'one'));
    // The pipe lies elsewhere: a shell that opens it late must not create a file in the group.
    const [pipe, procs] = [join(root, 'pipe'), join(homes[0]!.dir, 'one', 'cgroup.procs')];
    spawnSync('mkfifo', [pipe]);
    symlinkSync(pipe, procs);
    const end = await endOfStranger(async (pid) => {
      // Who reads it first finds the number, and who looks again does not.
      const lister = spawn('sh', ['-c', 'echo "$1" > "$2"; while :; do : > "$2"; done', 'sh', String(pid), pipe]);
      const destroyed = new Cgroup(homes, 'one').destroy();
      rmSync(procs);
      await destroyed;
      lister.kill();
    });
    expect(end).toBe('SIGTERM');
  });

  it('are ended by the kernel wherever it can, by no number of a process', async () => {
    const { mountinfo, ownGroups } = fake(1, '/');
    const unified = join(root, 'unified');
    mkdirSync(unified);
    const line = `40 20 0:30 / ${unified} rw - cgroup2 cgroup2 rw`;
    const { homes, missing } = findGroupHomes('agora-x', { mountinfo: `${mountinfo}\n${line}`, ownGroups });
    expect([homes.at(-1), missing]).toEqual([{ version: 2, dir: join(unified, 'agora-x'), controllers: [] }, {}]);
    for (const { dir } of homes) mkdirSync(join(dir, 'one'));
    const [procs, kill] = [join(homes[0]!.dir, 'one', 'cgroup.procs'), join(unified, 'agora-x', 'one', 'cgroup.kill')];
    writeFileSync(kill, '');
    const end = await endOfStranger(async (pid) => {
      writeFileSync(procs, String(pid));
      const destroyed = new Cgroup(homes, 'one').destroy();
      expect(readFileSync(kill, 'utf8')).toBe('1');
      for (const file of [procs, kill]) rmSync(file);
      await destroyed;
    });
    expect(end).toBe('SIGTERM');
  });
});
