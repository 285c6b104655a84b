import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type Program, startProgram } from './program.ts';

/** A real Redis that keeps nothing on disk. */
export interface TestRedis extends Program {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** `setUp` are more arguments of the program; those of a sentinel begin with the path of its settings. */
export async function startRedis(
  setUp: (place: { port: number; directory: string }) => string[] | Promise<string[]> = () => [],
): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'agora-redis-'));
  const port = await freePort();
  const more = await setUp({ port, directory });
  const isSentinel = more.includes('--sentinel');
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
  const usual = [...where, '--save', '', '--repl-diskless-sync-delay', '0'];
  const program = await startProgram({
    command: 'redis-server',
    args: isSentinel ? more : [...usual, ...more],
    ready: (line) => line.includes(isSentinel ? '+monitor' : 'Ready to accept connections'),
  });
  return {
    ...program,
    url: `redis://127.0.0.1:${port}`,
    port,
    async close() {
      await program.kill();
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

const isLinked = ({ port }: TestRedis) => askRedis(port, 'info', 'replication').includes('master_link_status:up');

const nodesOf = (all: TestRedis[]) => all.map(({ port }) => `127.0.0.1:${port}`).join(',');

/** A primary and a replica, with three sentinels that agree within a second that the primary has gone. */
export async function startSentinels(): Promise<RedisGroup & { primary(): number }> {
  const first = await startRedis();
  const replica = await startRedis(() => ['--replicaof', '127.0.0.1', String(first.port)]);
  const settings = (port: number, directory: string) =>
    [
      ...[`port ${port}`, 'bind 127.0.0.1', `dir ${directory}`, `sentinel monitor agora 127.0.0.1 ${first.port} 2`],
      ...['sentinel down-after-milliseconds agora 700', 'sentinel failover-timeout agora 3000', ''],
    ].join('\n');
  const sentinel = () =>
    startRedis(async ({ port, directory }) => {
      const path = join(directory, 'sentinel.conf');
      await writeFile(path, settings(port, directory));
      return [path, '--sentinel'];
    });
  const servers = [first, replica];
  const sentinels = await Promise.all([sentinel(), sentinel(), sentinel()]);
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
    startRedis(async () => [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', '--cluster-port', String(await freePort())],
    ]);
  const servers = await Promise.all(Array.from({ length: 6 }, member));
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
