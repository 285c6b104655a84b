import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

/** A real Redis that tests end and start again at the same address; it keeps nothing on disk. */
export interface TestRedis {
  url: string;
  port: number;
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT make it hang and go on. */
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** `setUp` are more arguments of the program; those of a sentinel begin with the path of its settings. */
export async function createRedis(
  setUp: (place: { port: number; directory: string }) => string[] | Promise<string[]> = () => [],
): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'agora-redis-'));
  const port = await freePort();
  const more = await setUp({ port, directory });
  const isSentinel = more.includes('--sentinel');
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async start() {
      const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
      const usual = [...where, '--save', '', '--repl-diskless-sync-delay', '0'];
      child = spawn('redis-server', isSentinel ? more : [...usual, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
      for await (const line of createInterface({ input: child.stdout! })) {
        if (line.includes(isSentinel ? '+monitor' : 'Ready to accept connections')) break;
      }
      child.stdout!.resume();
    },
    signal: (signal) => void child?.kill(signal),
    kill,
    async close() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What a command answers. */
export function askRedis(port: number, ...command: string[]): string {
  const { status, stdout, stderr } = spawnSync('redis-cli', ['-p', String(port), ...command], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`redis-cli ${command.join(' ')}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Several that belong together. */
export interface RedisGroup {
  url: string;
  servers: TestRedis[];
  /** Whether one can take the place of another by now. */
  isReady(): boolean;
  close(): Promise<void>;
}

const started = async (all: TestRedis[]) => {
  await Promise.all(all.map((each) => each.start()));
  return all;
};

const isLinked = ({ port }: TestRedis) => askRedis(port, 'info', 'replication').includes('master_link_status:up');

const nodesOf = (all: TestRedis[]) => all.map(({ port }) => `127.0.0.1:${port}`).join(',');

/** A primary and a replica, with three sentinels that agree within a second that the primary has gone. */
export async function startSentinels(): Promise<RedisGroup & { primary(): number }> {
  const first = await createRedis();
  const replica = await createRedis(() => ['--replicaof', '127.0.0.1', String(first.port)]);
  const settings = (port: number, directory: string) =>
    [
      ...[`port ${port}`, 'bind 127.0.0.1', `dir ${directory}`, `sentinel monitor agora 127.0.0.1 ${first.port} 2`],
      ...['sentinel down-after-milliseconds agora 700', 'sentinel failover-timeout agora 3000', ''],
    ].join('\n');
  const sentinel = () =>
    createRedis(async ({ port, directory }) => {
      const path = join(directory, 'sentinel.conf');
      await writeFile(path, settings(port, directory));
      return [path, '--sentinel'];
    });
  const servers = await started([first, replica]);
  const sentinels = await started([await sentinel(), await sentinel(), await sentinel()]);
  const ask = (...command: string[]) => sentinels.map(({ port }) => askRedis(port, 'sentinel', ...command, 'agora'));
  return {
    // One of them is never there.
    url: `redis+sentinel://127.0.0.1:9,${nodesOf(sentinels)}/agora`,
    servers,
    /** As all of them say. */
    primary: () => {
      const ports = new Set(ask('get-master-addr-by-name').map((answer) => Number(answer.split('\n')[1])));
      return ports.size === 1 ? ([...ports][0] as number) : 0;
    },
    isReady: () =>
      isLinked(replica) &&
      ask('ckquorum').every((answer) => answer.startsWith('OK 3')) &&
      ask('replicas').every((answer) => answer.includes(String(replica.port))),
    close: async () => void (await Promise.all([...servers, ...sentinels].map((each) => each.close()))),
  };
}

/** Three primaries, each with a replica. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const member = () =>
    createRedis(async () => [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', '--cluster-port', String(await freePort())],
    ]);
  const servers = await started(await Promise.all(Array.from({ length: 6 }, member)));
  const [first] = servers as [TestRedis];
  const addresses = nodesOf(servers).split(',');
  askRedis(first.port, '--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes');
  return {
    url: `redis+cluster://${nodesOf(servers)}`,
    servers,
    isReady: () =>
      servers.filter(isLinked).length === 3 &&
      servers.every(({ port }) => askRedis(port, 'cluster', 'info').includes('cluster_state:ok')),
    close: async () => void (await Promise.all(servers.map((each) => each.close()))),
  };
}
