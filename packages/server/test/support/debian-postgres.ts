import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresAccount } from '../../src/platform/postgres/index.ts';
import { freePort } from './free-port.ts';
import { memoryDirectory } from './memory-directory.ts';
import { startProgram } from './program.ts';

const home = '/usr/lib/postgresql';

interface Cluster {
  url: string;
  port: number;
  /** SIGINT ends sessions and stops; SIGKILL is what a machine without power does. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>;
}

/** The oldest PostgreSQL that Debian's packages have put on this machine, and the directory of its programs. */
export function oldestPostgres(): { major: number; programs: string } {
  const [major = 0] = readdirSync(home)
    .map(Number)
    .sort((a, b) => a - b);
  return { major, programs: join(home, String(major), 'bin') };
}

/** What runs it in a directory of its own. */
export function debianPostgres() {
  const { major, programs } = oldestPostgres();
  const program = (name: string) => join(programs, name);
  const directory = mkdtempSync(join(memoryDirectory(), 'agora-debian-postgres-'));
  const { uid, gid } = postgresAccount();
  if (uid !== undefined) chownSync(directory, uid, gid ?? 0);
  const as = { cwd: directory, ...(uid !== undefined && { uid, gid }) };

  function run(name: string, args: string[]): void {
    const made = spawnSync(program(name), args, { ...as, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`${name} of PostgreSQL ${major} failed: ${made.stderr}`);
  }

  return {
    major,
    directory,
    /** In whose account its programs run. */
    as,
    run,
    initialize: (data: string) =>
      run('initdb', ['-D', data, '-U', 'agora', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']),
    async start(data: string, more: Record<string, string> = {}, port?: number): Promise<Cluster> {
      port ??= await freePort();
      const settings = {
        port,
        unix_socket_directories: directory,
        listen_addresses: '127.0.0.1',
        fsync: 'off',
        max_connections: 300,
        ...more,
      };
      const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const { kill } = await startProgram({
        ...as,
        command: program('postgres'),
        args: ['-D', data, ...args],
        ready: (line) => /ready to accept (read-only )?connections/.test(line),
      });
      return { url: `postgres://agora@127.0.0.1:${port}/postgres`, port, stop: (signal = 'SIGINT') => kill(signal) };
    },
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The oldest PostgreSQL that Debian's packages have put on this machine, on a database cluster of its own. */
export async function startDebianPostgres(): Promise<{ major: number; url: string; stop(): Promise<void> }> {
  const { major, directory, initialize, start, remove } = debianPostgres();
  const data = join(directory, 'data');
  initialize(data);
  const { url, stop } = await start(data);
  return {
    major,
    url,
    async stop() {
      await stop();
      remove();
    },
  };
}

/** A primary and a standby, which has all that the primary has acknowledged. */
export async function startDebianPair(): Promise<{
  primary: Cluster;
  standby: Cluster;
  /** The address that names both. */
  url: string;
  promote(): Promise<void>;
  stop(): Promise<void>;
}> {
  const { directory, initialize, start, run, remove } = debianPostgres();
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  initialize(first);
  const primary = await start(first, { synchronous_standby_names: '*' });
  run('pg_basebackup', ['-d', primary.url, '-D', second, '-R', '--checkpoint=fast', '--no-sync']);
  // The standby replicates, but those that it has promoted wait for nobody.
  const standby = await start(second, { synchronous_standby_names: '' });
  await asked(primary.url, 'create database agora');
  const ports = [primary, standby].map(({ url }) => new URL(url).host);
  return {
    primary,
    standby,
    url: `postgres://agora@${ports.join(',')}/agora?target_session_attrs=read-write`,
    promote: async () => void (await asked(standby.url, 'select pg_promote()')),
    async stop() {
      await Promise.all([primary.stop(), standby.stop()].map((end) => end.catch(() => {})));
      remove();
    },
  };
}

/** The rows of one statement, asked on a connection of its own. */
export async function asked<R extends pg.QueryResultRow>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}
