import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { checkInside } from './check.ts';
import { parseEngineHost, splitStreams } from './engine.ts';
import { isLeftOver, serverTag } from './owner.ts';
import { type ContainerPlan, engineLimits } from './spec.ts';
import { encodeTar } from './tar.ts';

/** What needs no engine, or one that is not to be had here. */

const plan: ContainerPlan = {
  name: 'agora-x-7',
  image: 'x',
  limits: TEST_LIMITS,
  mark: 'x',
  uid: 7,
  labels: {},
  runtime: undefined,
  isPodman: false,
};
const limits = engineLimits(TEST_LIMITS);

function look(groups: string[], changes: { status?: string; mounts?: string } = {}): string {
  const status =
    changes.status ??
    'Uid:\t7\t7\t7\t7\nCapInh:\t00\nCapPrm:\t00\nCapEff:\t00\nCapBnd:\t00\nNoNewPrivs:\t1\nSeccomp:\t2\nOwn: 1';
  const tmpfs = (place: string, bytes: number) => `tmpfs ${place} tmpfs rw,size=${bytes / 1024}k 0 0`;
  const mounts = [
    'overlay / overlay ro 0 0',
    'x /input ext4 ro,nosuid 0 0',
    'tmpfs /run tmpfs ro 0 0',
    'tmpfs /sys tmpfs ro 0 0',
    tmpfs('/workspace', limits.workspaceBytes),
    tmpfs('/tmp', limits.tmpBytes),
    tmpfs('/var/tmp', limits.varTmpBytes),
    tmpfs('/dev/shm', limits.shmBytes),
  ];
  const net = 'Inter-| Receive | Transmit\n face |bytes packets\n    lo: 0 0';
  return `=status\n${status}\n=net\n${net}\n=mounts\n${changes.mounts ?? mounts.join('\n')}\n=groups\n${groups.join('\n')}\n`;
}

const unified = [
  `memory.max ${limits.chargedBytes}`,
  'memory.swap.max 0',
  `pids.max ${limits.tasks}`,
  `cpu.max ${limits.cpuQuotaUs} 100000`,
];

describe('what a container shows of itself', () => {
  it('is enough with control groups of version 2', () => {
    expect(checkInside(plan, look(unified))).toEqual({ missing: [], enforcement: { limits: 'enforced', notes: [] } });
  });

  it.each([
    ['memory.max', 'max', 'memory'],
    ['memory.swap.max', 'max', 'swap'],
    ['memory.swap.max', '4096', 'swap'],
    ['pids.max', 'max', 'processes'],
    ['cpu.max', 'max 100000', 'cpu'],
  ])('is refused with %s at %s', (file, value, what) => {
    const groups = [...unified.filter((line) => !line.startsWith(`${file} `)), `${file} ${value}`];
    expect(checkInside(plan, look(groups)).missing).toEqual([`a limit on ${what} in the kernel`]);
  });

  it('is degraded where the runtime shows no control groups', () => {
    const { missing, enforcement } = checkInside(plan, look([]));
    expect(missing).toEqual([]);
    expect(enforcement.limits).toBe('degraded');
    expect(enforcement.notes).toHaveLength(3);
  });

  it('is refused where nothing is shown at all', () => {
    expect(checkInside(plan, '').missing).toHaveLength(14);
  });
});

describe('the stream of an engine', () => {
  const chunk = (stream: number, text: string) => {
    const head = Buffer.alloc(8);
    head.writeUInt8(stream, 0);
    head.writeUInt32BE(text.length, 4);
    return Buffer.concat([head, Buffer.from(text)]);
  };

  it('is taken apart wherever it was cut', async () => {
    const whole = Buffer.concat([chunk(1, 'one '), chunk(2, 'trouble'), chunk(1, ''), chunk(1, 'two')]);
    for (let size = 1; size <= whole.length; size++) {
      const socket = new PassThrough();
      const { stdout, complaint, closed } = splitStreams(socket);
      for (let at = 0; at < whole.length; at += size) socket.write(whole.subarray(at, at + size));
      socket.end();
      await closed;
      expect(String(stdout.read())).toBe('one two');
      expect(complaint()).toBe('trouble');
    }
  });

  it('ends when it is not one', async () => {
    const socket = new PassThrough();
    const { closed } = splitStreams(socket);
    socket.write('HTTP/1.1 200 OK');
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

describe('the address of an engine', () => {
  it('is a socket, a host, or one behind TLS', () => {
    expect(parseEngineHost('unix:///run/x.sock')).toEqual({ protocol: 'http', socketPath: '/run/x.sock' });
    expect(parseEngineHost('tcp://10.0.0.1')).toEqual({ protocol: 'http', host: '10.0.0.1', port: 2375 });
    expect(parseEngineHost('https://engine:99')).toEqual({ protocol: 'https', host: 'engine', port: 99 });
    expect(parseEngineHost('tcp://[::1]:5')).toMatchObject({ host: '::1', port: 5 });
    for (const wrong of ['/run/x.sock', 'ssh://a', 'tcp://a/path', '']) expect(() => parseEngineHost(wrong)).toThrow();
  });
});

it('a container is left over when its server has ended, or cannot be seen and runs no more', () => {
  const [boot, namespace] = serverTag().split('/');
  expect(isLeftOver(serverTag(), true)).toBe(false);
  expect(isLeftOver(`${boot}/${namespace}/${process.pid}-1`, true)).toBe(true);
  for (const unseen of [`other/${namespace}/1-1`, `${boot}/1/1-1`, undefined]) {
    expect([isLeftOver(unseen, true), isLeftOver(unseen, false)]).toEqual([false, true]);
  }
});

it('archives are what tar reads', () => {
  const entries = [
    { path: 'dir/', mode: 0o1777 },
    { path: 'dir/file', mode: 0o755, content: Buffer.from('x'.repeat(513)) },
  ];
  const listed = spawnSync('tar', ['-tvf', '-'], { input: encodeTar(entries), encoding: 'utf8' });
  expect(listed.stderr).toBe('');
  expect(listed.stdout).toMatch(/^drwxrwxrwt 0\/0 +0 .* dir\/\n-rwxr-xr-x 0\/0 +513 .* dir\/file\n$/);
});
