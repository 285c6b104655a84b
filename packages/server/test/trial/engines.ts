import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresAccount } from '../../src/platform/postgres/index.ts';
import { oldestPostgres } from '../support/debian-postgres.ts';
import { unpackDebian } from '../support/debian-programs.ts';
import { memoryDirectory } from '../support/memory-directory.ts';
import type { Program } from '../support/program.ts';
import type { Host, Network } from './network.ts';

/** The engines below the servers, as companies run them: all of Debian, each on a host of its own. */

const packages = [
  ...['etcd-server', 'haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1', 'patroni'],
  ...['click', 'colorama', 'dateutil', 'dnspython', 'etcd', 'prettytable', 'psutil', 'psycopg2', 'six', 'urllib3'].map(
    (name) => `python3-${name}`,
  ),
  ...['python3-wcwidth', 'python3-yaml', 'python3-cdiff'],
];

/** An engine on its host. */
export type Engine = Program & { host: Host };

/** One of the PostgreSQL servers that Patroni watches over. */
export interface Database {
  host: Host;
  kill(): Promise<void>;
  start(): Promise<void>;
  isPrimary(): Promise<boolean>;
  /** Whether the primary waits for it. */
  isStandby(): Promise<boolean>;
}

export interface Engines {
  etcd: Engine[];
  databases: Database[];
  /** Names both databases. */
  databaseUrl: string;
  /** Hands over to the standby, as for maintenance. */
  switchOver(): Promise<void>;
  balancer: Engine;
  /** Balances over these servers. */
  url: string;
  redisUrl: string;
  /** The one that the sentinels name. */
  redisPrimary(): Promise<Engine>;
  remove(): void;
}

export async function startEngines(network: Network, servers: readonly Host[], port: number): Promise<Engines> {
  const { directory: tree, remove } = unpackDebian(packages);
  const data = mkdtempSync(join(memoryDirectory(), 'agora-trial-'));
  chmodSync(data, 0o755);
  const tools = { tree, data, env: environmentOf(tree) };
  const etcd = await startEtcd(network, tools);
  const databases = await startDatabases(network, tools, etcd);
  const balancer = await startBalancer(network.host('balancer'), tools, servers, port);
  const redis = await startRedis(network, tools);
  const hosts = databases.map(({ host }) => `${host.address}:5432`).join(',');
  return {
    etcd,
    databases,
    databaseUrl: `postgres://agora@${hosts}/agora?target_session_attrs=read-write`,
    switchOver: () => switchOver(databases, tools),
    balancer,
    url: `http://${balancer.host.address}:4000`,
    ...redis,
    remove() {
      rmSync(data, { recursive: true, force: true });
      remove();
    },
  };
}

/** The primary, then the other. */
export async function primaryFirst(databases: readonly Database[]): Promise<readonly Database[]> {
  return (await databases[0]?.isPrimary()) ? databases : [...databases].reverse();
}

/** Waits until one is the primary, and the other one has all that it acknowledges. */
export async function untilWhole(databases: readonly Database[]): Promise<void> {
  const isWhole = async () => {
    const roles = await Promise.all(databases.flatMap((each) => [each.isPrimary(), each.isStandby()]));
    return roles.filter(Boolean).length === 2;
  };
  while (!(await isWhole())) await sleep(250);
}

interface Tools {
  /** Where the packages are unpacked. */
  tree: string;
  data: string;
  env: Record<string, string | undefined>;
}

const environmentOf = (tree: string) => ({
  PATH: `/usr/bin:/bin:/usr/sbin:${join(tree, 'usr/bin')}`,
  PYTHONPATH: join(tree, 'usr/lib/python3/dist-packages'),
  LD_LIBRARY_PATH: readdirSync(join(tree, 'usr/lib'))
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => join(tree, 'usr/lib', name))
    .join(':'),
  HOME: '/tmp',
});

const startOn = async (host: Host, program: Parameters<Host['start']>[0]): Promise<Engine> => ({
  ...(await host.start(program)),
  host,
});

async function startEtcd(network: Network, { tree, data, env }: Tools): Promise<Engine[]> {
  const hosts = ['etcd1', 'etcd2', 'etcd3'].map((name) => network.host(name));
  const peers = hosts.map(({ name, address }) => `${name}=http://${address}:2380`).join(',');
  const members = hosts.map((host) => {
    const [client, peer] = [`http://${host.address}:2379`, `http://${host.address}:2380`];
    const settings = {
      ...{ name: host.name, 'data-dir': join(data, host.name) },
      ...{ 'listen-client-urls': client, 'advertise-client-urls': client },
      ...{ 'listen-peer-urls': peer, 'initial-advertise-peer-urls': peer, 'initial-cluster': peers },
      ...{ 'heartbeat-interval': 300, 'election-timeout': 3_000 },
    };
    return startOn(host, {
      command: join(tree, 'usr/bin/etcd'),
      args: Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
      env,
      ready: (line) => line.includes('ready to serve client requests'),
    });
  });
  return Promise.all(members);
}

async function startDatabases(network: Network, tools: Tools, etcd: readonly Engine[]): Promise<Database[]> {
  // The first one makes the cluster, which the second one copies.
  const first = await startDatabase(network.host('db1'), tools, etcd, network);
  while (!(await first.isPrimary())) await sleep(200);
  const databases = [first, await startDatabase(network.host('db2'), tools, etcd, network)];
  const client = new pg.Client({ connectionString: `postgres://postgres@${first.host.address}/postgres` });
  await client.connect();
  await client.query('create role agora login');
  await client.query('create database agora owner agora');
  await client.end();
  await untilWhole(databases);
  return databases;
}

async function startDatabase(
  host: Host,
  { tree, data, env }: Tools,
  etcd: readonly Engine[],
  network: Network,
): Promise<Database> {
  const place = join(data, host.name);
  mkdirSync(place);
  const account = postgresAccount();
  const file = join(place, 'patroni.json');
  writeFileSync(file, JSON.stringify(patroniSettings(host, place, etcd, network)));
  if (account.uid !== undefined) chownSync(place, account.uid, account.gid ?? 0);
  const patroni = await startOn(host, {
    command: '/usr/bin/python3',
    args: [join(tree, 'usr/bin/patroni'), file],
    env,
    ...account,
    ready: (line) => /no action|initialized a new cluster|bootstrapped from leader|starting as a secondary/.test(line),
  });
  const isRole = (role: string) =>
    fetch(`http://${host.address}:8008/${role}`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  return {
    ...patroni,
    async kill() {
      await patroni.kill();
      const [pid] = readFileSync(join(place, 'data/postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    isPrimary: () => isRole('primary'),
    isStandby: () => isRole('synchronous'),
  };
}

const scope = 'agora';

const patroniSettings = ({ name, address }: Host, place: string, etcd: readonly Engine[], network: Network) => ({
  scope,
  name,
  restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
  etcd3: { hosts: etcd.map(({ host }) => `${host.address}:2379`) },
  bootstrap: {
    dcs: {
      ...{ ttl: 20, loop_wait: 5, retry_timeout: 5, synchronous_mode: true },
      postgresql: {
        ...{ use_pg_rewind: true, use_slots: true },
        parameters: {
          ...{ max_connections: 300, shared_buffers: '256MB', wal_keep_size: '256MB', wal_log_hints: 'on' },
          ...{ hot_standby: 'on', jit: 'off', max_wal_size: '2GB' },
        },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
  },
  postgresql: {
    ...{ listen: `${address}:5432`, connect_address: `${address}:5432`, bin_dir: oldestPostgres().programs },
    ...{ data_dir: join(place, 'data'), pgpass: join(place, 'pgpass') },
    pg_hba: ['local', 'host', 'host'].map((kind, nth) =>
      kind === 'local'
        ? 'local all all trust'
        : `host ${nth === 1 ? 'all' : 'replication'} all ${network.address}/24 trust`,
    ),
    authentication: { replication: { username: 'postgres' }, superuser: { username: 'postgres' } },
    parameters: { unix_socket_directories: place },
  },
});

async function switchOver(databases: readonly Database[], { tree, data, env }: Tools): Promise<void> {
  const [from, to] = await primaryFirst(databases);
  const [command = '', ...enter] = from?.host.enter ?? [];
  const control = ['/usr/bin/python3', join(tree, 'usr/bin/patronictl')];
  const settings = ['-c', join(data, String(from?.host.name), 'patroni.json')];
  const asked = ['switchover', scope, '--master', from?.host.name, '--candidate', to?.host.name, '--force'];
  const { status, stdout, stderr } = spawnSync(command, [...enter, ...control, ...settings, ...asked].map(String), {
    env,
    encoding: 'utf8',
  });
  if (status !== 0 || !/Successfully switched over/.test(stdout)) throw new Error(`patronictl: ${stdout}${stderr}`);
}

function startBalancer(
  host: Host,
  { tree, data, env }: Tools,
  servers: readonly Host[],
  port: number,
): Promise<Engine> {
  const file = join(data, 'haproxy.cfg');
  const lines = servers.map(({ name, address }) => `  server ${name} ${address}:${port} check`);
  // As docs/several-servers.md says.
  writeFileSync(
    file,
    `global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 3s
frontend api
  bind ${host.address}:4000
  option forwardfor
  default_backend servers
backend servers
  balance roundrobin
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response
  http-request disable-l7-retry if !METH_GET !{ req.hdr(idempotency-key) -m found }
  http-request disable-l7-retry if { path_end /sandbox/exec } !{ req.hdr(idempotency-key) -m found }
  option httpchk GET /api/v1/ready
  http-check expect status 200
  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions
${lines.join('\n')}
`,
  );
  return startOn(host, {
    command: join(tree, 'usr/sbin/haproxy'),
    args: ['-db', '-V', '-f', file],
    env,
    ready: (line) => line.includes('as the polling mechanism'),
  });
}

/** A primary, a replica, and three sentinels. */
async function startRedis(network: Network, { data }: Tools): Promise<Pick<Engines, 'redisUrl' | 'redisPrimary'>> {
  const hosts = ['redis1', 'redis2'].map((name) => network.host(name));
  const [first] = hosts as [Host];
  const redis = await Promise.all(
    hosts.map((host) =>
      startOn(host, {
        command: 'redis-server',
        args: [
          ...['--bind', host.address, '--protected-mode', 'no', '--save', '', '--dir', data],
          ...(host === first ? [] : ['--replicaof', first.address, '6379']),
        ],
        ready: (line) => line.includes('Ready to accept connections'),
      }),
    ),
  );
  const sentinels = ['sentinel1', 'sentinel2', 'sentinel3'].map((name) => network.host(name));
  for (const host of sentinels) {
    const file = join(data, `${host.name}.conf`);
    writeFileSync(
      file,
      [
        ...[
          `bind ${host.address}`,
          'protected-mode no',
          `dir ${data}`,
          `sentinel monitor agora ${first.address} 6379 2`,
        ],
        ...['sentinel down-after-milliseconds agora 2000', 'sentinel failover-timeout agora 10000', ''],
      ].join('\n'),
    );
    await startOn(host, {
      command: 'redis-server',
      args: [file, '--sentinel'],
      ready: (line) => line.includes('+monitor'),
    });
  }
  const [asked] = sentinels as [Host];
  const command = ['redis-cli', '-h', asked.address, '-p', '26379', 'sentinel', 'get-master-addr-by-name', 'agora'];
  return {
    async redisPrimary() {
      const { stdout } = spawnSync(command[0] as string, command.slice(1), { encoding: 'utf8' });
      const primary = redis.find(({ host }) => host.address === stdout.split('\n')[0]);
      if (!primary) throw new Error(`the sentinels name ${stdout}`);
      return primary;
    },
    redisUrl: `redis+sentinel://${sentinels.map(({ address }) => `${address}:26379`).join(',')}/agora`,
  };
}
