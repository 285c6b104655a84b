import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asked, debianPostgres } from './debian-postgres.ts';
import { unpackDebian } from './debian-programs.ts';

/** A PostgreSQL that Debian's pgBackRest backs up and archives, as `docs/operating/backup.md` says. */
export interface ArchivedPostgres {
  /** Of the database `agora`, also after a restore. */
  url: string;
  backUp(type: 'full' | 'diff'): Promise<void>;
  /** Bytes of the database, and of what the last backup takes in the repository. */
  sizes(): Promise<{ database: number; repository: number }>;
  /** What PostgreSQL calls this moment. */
  moment(): Promise<string>;
  /** Resolves once the archive has all that was committed until now. */
  archived(): Promise<void>;
  /** The machine is lost: nothing of the cluster is left but what is in the repository. */
  lose(): Promise<void>;
  /** Files as they were, and then the log up to that moment. */
  restore(moment: string): Promise<void>;
  /** Resolves once it takes changes. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  const { directory, as, initialize, start, remove } = debianPostgres();
  const debian = unpackDebian(['pgbackrest']);
  const data = join(directory, 'data');
  const conf = join(directory, 'pgbackrest.conf');
  const program = [join(debian.directory, 'usr/bin/pgbackrest'), `--config=${conf}`, '--stanza=agora'] as const;
  const pgbackrest = async (...args: string[]) =>
    (await promisify(execFile)(program[0], [...program.slice(1), ...args], as)).stdout;
  const archiving = {
    archive_mode: 'on',
    archive_command: `${program.join(' ')} archive-push %p`,
    // Tests do not wait for a minute.
    archive_timeout: '2',
  };
  initialize(data);
  let cluster = await start(data, archiving);
  const { port } = cluster;
  const repository = join(directory, 'repository');
  writeFileSync(
    conf,
    `[global]
repo1-path=${repository}
repo1-retention-full=2
start-fast=y
compress-type=zst
lock-path=${directory}/locks
log-level-file=off

[agora]
pg1-path=${data}
pg1-port=${port}
pg1-socket-path=${directory}
pg1-user=agora
pg1-database=postgres
`,
  );
  const admin = cluster.url;
  const url = admin.replace(/postgres$/, 'agora');
  await asked(admin, 'create database agora');
  await pgbackrest('stanza-create');
  await pgbackrest('check');

  return {
    url,
    backUp: async (type) => void (await pgbackrest('backup', `--type=${type}`)),
    async sizes() {
      const [stanza] = JSON.parse(await pgbackrest('info', '--output=json'));
      const { size, repository: kept } = stanza.backup.at(-1).info;
      return { database: size, repository: kept.size };
    },
    async moment() {
      const [now] = await asked<{ now: string }>(url, 'select clock_timestamp()::text as now');
      return now?.now as string;
    },
    async archived() {
      const [at] = await asked<{ file: string }>(admin, 'select pg_walfile_name(pg_current_wal_insert_lsn()) as file');
      const isThere = `select last_archived_wal >= '${at?.file}' as there from pg_stat_archiver`;
      while (!(await asked<{ there: boolean | null }>(admin, isThere))[0]?.there) await sleep(100);
    },
    async lose() {
      await cluster.stop('SIGKILL');
      rmSync(data, { recursive: true, maxRetries: 5 });
    },
    restore: async (moment) =>
      void (await pgbackrest('restore', '--type=time', `--target=${moment}`, '--target-action=promote')),
    async start() {
      cluster = await start(data, archiving, port);
      const isRecovering = 'select pg_is_in_recovery() as yes';
      while ((await asked<{ yes: boolean }>(admin, isRecovering))[0]?.yes) await sleep(50);
    },
    async stop() {
      await cluster.stop('SIGKILL').catch(() => {});
      remove();
      debian.remove();
    },
  };
}
