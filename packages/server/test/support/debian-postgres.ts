import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresAccount } from '../../src/platform/postgres/index.ts';
import { freePort } from './free-port.ts';
import { memoryDirectory } from './memory-directory.ts';

const home = '/usr/lib/postgresql';

/** The oldest PostgreSQL that Debian's packages have put on this machine, on a database cluster of its own. */
export async function startDebianPostgres(): Promise<{ major: number; url: string; stop(): Promise<void> }> {
  const [major = 0] = readdirSync(home)
    .map(Number)
    .sort((a, b) => a - b);
  const program = (name: string) => join(home, String(major), 'bin', name);
  const directory = mkdtempSync(join(memoryDirectory(), 'agora-debian-postgres-'));
  const { uid, gid } = postgresAccount();
  if (uid !== undefined) chownSync(directory, uid, gid ?? 0);
  const as = { cwd: directory, ...(uid !== undefined && { uid, gid }) };
  const data = join(directory, 'data');
  const init = ['-D', data, '-U', 'agora', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  const made = spawnSync(program('initdb'), init, { ...as, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb of PostgreSQL ${major} failed: ${made.stderr}`);
  const port = await freePort();
  const settings = {
    port,
    unix_socket_directories: directory,
    listen_addresses: '127.0.0.1',
    fsync: 'off',
    max_connections: 300,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(program('postgres'), ['-D', data, ...args], { ...as, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const url = `postgres://agora@127.0.0.1:${port}/postgres`;
  while (!(await answers(url))) if (server.exitCode !== null) throw new Error(`PostgreSQL ${major} does not start`);
  return {
    major,
    url,
    async stop() {
      server.kill('SIGINT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    await sleep(50);
    return false;
  }
}
