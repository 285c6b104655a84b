import { createServer } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { hireAndStart, makePair, type Pair, refusalOf, serverForFile } from './scene.ts';

/** Each limit of a sandbox, and that it has no network, as an agent meets them: through its commands over HTTP. */

const MIB = 1024 ** 2;
const limits = {
  SANDBOX_CPUS: 0.5,
  SANDBOX_MEMORY_BYTES: 64 * MIB,
  SANDBOX_PROCESSES: 24,
  SANDBOX_DISK_BYTES: 8 * MIB,
  SANDBOX_EXEC_TIMEOUT_MS: 1_500,
  SANDBOX_MAX_EXEC_MS: 20_000,
  SANDBOX_MAX_OUTPUT_BYTES: 64 * 1024,
  SANDBOX_MAX_STREAM_BYTES: 256 * 1024,
  SANDBOX_BACKGROUND: 2,
  SANDBOX_BACKGROUND_OUTPUT_BYTES: 4096,
};
const server = serverForFile({ config: limits });

let pair: Pair;
let id: string;
beforeAll(async () => {
  pair = await makePair(server);
  id = (await hireAndStart(pair)).id;
});
const sandbox = () => pair.agent.agora.sandbox;
const run = async (command: string, timeoutMs = 20_000) => (await sandbox().exec(id, { command, timeoutMs })).data;

test('a sandbox reports its limits', async () => {
  expect((await sandbox().provision(id)).data.limits).toEqual({
    cpus: limits.SANDBOX_CPUS,
    memoryBytes: limits.SANDBOX_MEMORY_BYTES,
    processes: limits.SANDBOX_PROCESSES,
    diskBytes: limits.SANDBOX_DISK_BYTES,
    maxExecMs: limits.SANDBOX_MAX_EXEC_MS,
    maxOutputBytes: limits.SANDBOX_MAX_OUTPUT_BYTES,
  });
});

describe('no network', () => {
  const connect = (address: string, port: number) =>
    run(`perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or die "socket: $!"; print "made\\n";
      connect(S, sockaddr_in(${port}, inet_aton("${address}"))) or die "connect: $!\\n"; print "connected\\n"'`);

  test("the server's own port, and any other of the host, is not there", async () => {
    let visits = 0;
    const other = createServer(() => visits++);
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    for (const each of [port, Number(new URL(server.url).port)]) {
      expect(await connect('127.0.0.1', each)).toMatchObject({
        stdout: 'made\n',
        stderr: 'connect: Connection refused\n',
      });
    }
    expect(visits).toBe(0);
    other.close();
  });

  test.each(['192.0.2.1', '10.0.0.1', '169.254.169.254'])('no way leads to %s', async (address) => {
    expect(await connect(address, 80)).toMatchObject({ stdout: 'made\n', stderr: 'connect: Network is unreachable\n' });
  });

  test('there is no interface but the loopback, and no name is resolved', async () => {
    const { stdout } = await run(
      'tail -n +3 /proc/net/dev | cut -d: -f1; cat /etc/resolv.conf; getent hosts example.com',
    );
    expect(stdout.trim()).toBe('lo');
  });
});

describe('limits', () => {
  test('SANDBOX_CPUS: two busy processes get half a CPU together', async () => {
    const { stdout } = await run(`perl -e 'use Time::HiRes "time"; my $end = time + 3;
      for (1, 2) { fork or do { while (time < $end) {} exit } } 1 while wait > 0;
      my @t = times; printf "%.2f", $t[2] + $t[3]'`);
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(3 * limits.SANDBOX_CPUS + 0.6);
  });

  test('SANDBOX_MEMORY_BYTES: a command that takes more is ended, and the sandbox lives on', async () => {
    expect((await run(`perl -e '$n = ${20 * MIB}; $x = "a" x $n; print length $x'`)).stdout).toBe(String(20 * MIB));
    const greedy = await run(
      `perl -e '$| = 1; print "begun"; $n = ${400 * MIB}; $x = "a" x $n; print "all of it"; sleep 2'`,
    );
    expect(greedy.stdout).toBe('begun');
    expect(greedy.exitCode).not.toBe(0);
    expect((await run('echo alive')).stdout).toBe('alive\n');
  });

  test('SANDBOX_PROCESSES: no more can be started than that', async () => {
    const { stdout } = await run(`perl -e 'for $n (0 .. 200) { $pid = fork; last unless defined $pid;
      unless ($pid) { sleep 30; exit } push @all, $pid } print scalar(@all), " $!"; kill 9, @all; 1 while wait > 0'`);
    const [started, reason] = [Number(stdout.split(' ')[0]), stdout.slice(stdout.indexOf(' ') + 1)];
    expect(reason).toBe('Resource temporarily unavailable');
    expect(started).toBeGreaterThan(limits.SANDBOX_PROCESSES / 2);
    expect(started).toBeLessThanOrEqual(limits.SANDBOX_PROCESSES);
  });

  test('SANDBOX_DISK_BYTES: the workspace is full then', async () => {
    const { stdout, stderr } = await run('head -c 100000000 /dev/zero > big; stat -c %s big; rm big');
    expect(stderr).toContain('No space left on device');
    expect(Number(stdout)).toBeGreaterThan(limits.SANDBOX_DISK_BYTES / 2);
    expect(Number(stdout)).toBeLessThanOrEqual(limits.SANDBOX_DISK_BYTES);
  });

  test('SANDBOX_EXEC_TIMEOUT_MS ends a command without a time limit, not one with a longer limit', async () => {
    const { data } = await sandbox().exec(id, { command: 'echo begun; sleep 60; echo ended' });
    expect(data).toMatchObject({ stdout: 'begun\n', timedOut: true });
    expect(data.durationMs).toBeGreaterThanOrEqual(limits.SANDBOX_EXEC_TIMEOUT_MS);
    expect(await run('sleep 2; echo ended')).toMatchObject({ stdout: 'ended\n', timedOut: false });
  });

  test('SANDBOX_MAX_EXEC_MS: no command may ask for more', async () => {
    const asked = sandbox().exec(id, { command: 'true', timeoutMs: limits.SANDBOX_MAX_EXEC_MS + 1 });
    expect(await refusalOf(asked)).toBe('400 VALIDATION_ERROR');
  });

  test('SANDBOX_MAX_OUTPUT_BYTES: the rest of each stream is thrown away, and it is said', async () => {
    const { stdout, stderr, truncated, exitCode } = await run('yes out | head -c 500000; yes err | head -c 500000 >&2');
    expect([stdout.length, stderr.length]).toEqual([limits.SANDBOX_MAX_OUTPUT_BYTES, limits.SANDBOX_MAX_OUTPUT_BYTES]);
    expect({ truncated, exitCode }).toEqual({ truncated: true, exitCode: 0 });
    expect(await run('echo little')).toMatchObject({ truncated: false });
  });

  test('SANDBOX_MAX_STREAM_BYTES: the same for a command whose output is streamed', async () => {
    let taken = 0;
    let end: unknown;
    for await (const event of sandbox().execStream(id, { command: 'yes out | head -c 1000000' })) {
      if (event.event === 'exit') end = event.data;
      else taken += event.text?.length ?? 0;
    }
    expect(taken).toBe(limits.SANDBOX_MAX_STREAM_BYTES);
    expect(end).toMatchObject({ truncated: true, exitCode: 0 });
  });

  test('SANDBOX_BACKGROUND and its output: no more run than that, and the last bytes are kept', async () => {
    const start = (command: string) => sandbox().startProcess(id, { command });
    const { processId } = (await start('seq 1 5000; sleep 60')).data;
    await start('sleep 60');
    expect(await refusalOf(start('true'))).toBe('409 PROCESS_LIMIT_REACHED');
    const output = async () => (await sandbox().processOutput(id, processId)).data;
    while (!(await output()).content.endsWith('5000\n'));
    const { content, from, next } = await output();
    expect([content.length, next - from]).toEqual([limits.SANDBOX_BACKGROUND_OUTPUT_BYTES, content.length]);
    for (const each of (await sandbox().listProcesses(id)).data.processes)
      await sandbox().killProcess(id, each.processId);
  });
});
