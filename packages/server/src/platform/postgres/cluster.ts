import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Account, canEnter, makeDirectory, ownUid, type PostgresLog, SYSTEM_DIRECTORY } from './account.ts';
import type { Binaries } from './binaries.ts';
import { INITDB_ARGUMENTS, SERVER_ENVIRONMENT, SOCKET_PORT } from './settings.ts';

/** The files of one database: everything of it lies under `root`, which is made whole or not at all. */
export interface Cluster {
  root: string;
  data: string;
  password: string;
  /** Directory of the socket and the lifeline. */
  run: string;
  log: string;
}

/** A socket's path must fit into sockaddr_un: 108 bytes on Linux, 104 on macOS. */
const SOCKET_PATH_LIMIT = 103;

/** Finds the database of a data directory, or makes it. Safe when several processes do so at once. */
export async function openCluster(options: {
  dataDir: string;
  account: Account;
  binaries: Binaries;
  durable: boolean;
  log: PostgresLog;
  /** Called once initdb runs. */
  onProcess?: () => void;
}): Promise<Cluster> {
  const { account, binaries } = options;
  const root = choosePlace(resolve(options.dataDir), account, options.log);
  sweepUnfinished(root);
  if (!fs.existsSync(root)) await initialise(root, options);
  checkFits(root, account, binaries);
  return {
    root,
    data: join(root, 'data'),
    password: fs.readFileSync(join(root, 'password'), 'utf8').trim(),
    run: runDirectory(root, account),
    log: join(root, 'server.log'),
  };
}

/**
 * The database is in `<dataDir>/cluster`. If PostgreSQL's user cannot get there (root's home is closed), that name
 * becomes a link to a directory under /var/lib. Removing the data directory still removes the installation.
 */
function choosePlace(dataDir: string, account: Account, log: PostgresLog): string {
  makeDirectory(dataDir);
  const link = join(dataDir, 'cluster');
  if (account.uid === undefined) return link;
  const moved = readLink(link);
  if (moved) {
    if (fs.existsSync(dirname(moved))) return moved;
    throw new Error(
      `The database of ${dataDir} was kept in ${dirname(moved)}, which is gone. ` +
        `Restore it, or remove ${link} to start with an empty database.`,
    );
  }
  // The directory is ours, so opening it for passing through is ours to do; those above it are not.
  if (!canEnter(account, dataDir)) fs.chmodSync(dataDir, 0o711);
  if (canEnter(account, dataDir)) return link;
  if (fs.existsSync(link)) {
    throw new Error(
      `PostgreSQL runs as user "nobody", who cannot reach ${link} any more: ` +
        'a directory above it was closed. Open it for passing through (chmod o+x), or start as an ordinary user.',
    );
  }
  const place = join(SYSTEM_DIRECTORY, `data-${randomBytes(6).toString('hex')}`);
  makeDirectory(place);
  try {
    fs.symlinkSync(join(place, 'cluster'), link);
  } catch (error) {
    fs.rmdirSync(place);
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return fs.readlinkSync(link);
  }
  log.warn(
    `PostgreSQL runs as user "nobody", who cannot enter ${dataDir}; the database is kept in ${place} instead. ` +
      `Back up that directory; ${link} points to it.`,
  );
  return join(place, 'cluster');
}

function readLink(path: string): string | undefined {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? fs.readlinkSync(path) : undefined;
}

/**
 * The database is made aside and renamed into place, synced. So a start cut short leaves no half-made database,
 * and of two first starts at once one wins and the other takes over the winner's.
 */
async function initialise(
  root: string,
  { account, binaries, durable, onProcess }: Parameters<typeof openCluster>[0],
): Promise<void> {
  const aside = `${root}.init-${process.pid}-${randomBytes(4).toString('hex')}`;
  fs.mkdirSync(aside, { mode: 0o700 });
  fs.mkdirSync(join(aside, 'run'), { mode: 0o700 });
  const password = join(aside, 'password');
  fs.writeFileSync(password, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flush: durable });
  if (account.uid !== undefined) {
    for (const path of [aside, join(aside, 'run'), password]) fs.chownSync(path, account.uid, account.gid ?? 0);
  }
  try {
    const args = [...INITDB_ARGUMENTS, `--pwfile=${password}`, '-D', join(aside, 'data')];
    const made = run(binaries.initdb, durable ? args : [...args, '--no-sync'], account);
    onProcess?.();
    await made;
    if (durable) syncDirectory(aside);
    fs.renameSync(aside, root);
    if (durable) syncDirectory(dirname(root));
  } catch (error) {
    fs.rmSync(aside, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

function run(command: string, args: string[], account: Account): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      ...account,
      env: SERVER_ENVIRONMENT,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.on('error', fail);
    child.on('close', (code) => {
      if (code === 0) done();
      else {
        // On a full disk the last lines show only consequences.
        const why = /.*No space left on device.*/.exec(said)?.[0] ?? said.trim().split('\n').slice(-4).join(' ');
        fail(new Error(`${basename(command)} could not make the database: ${why}`));
      }
    });
  });
}

function syncDirectory(path: string): void {
  const directory = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(directory);
  } finally {
    fs.closeSync(directory);
  }
}

/** Removes the remains of first starts that were killed. */
function sweepUnfinished(root: string): void {
  const prefix = `${basename(root)}.init-`;
  for (const name of fs.readdirSync(dirname(root))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    const path = join(dirname(root), name);
    // In another container the maker may live under a number that means nothing here, so young ones are left alone.
    const made = fs.statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
    if (!isRunning(pid) && Date.now() - made > 60_000) fs.rmSync(path, { recursive: true, force: true });
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const madeBy = (root: string): number => Number(fs.readFileSync(join(root, 'data', 'PG_VERSION'), 'utf8'));

/**
 * The major version of the PostgreSQL that made the database of a data directory; null where none is made yet,
 * `unreadable` where it belongs to another user.
 */
export function embeddedMajor(dataDir: string): number | null | 'unreadable' {
  const root = join(dataDir, 'cluster');
  if (!fs.existsSync(root)) return null;
  try {
    return madeBy(root);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return 'unreadable';
    throw error;
  }
}

function checkFits(root: string, account: Account, binaries: Binaries): void {
  const owner = fs.statSync(root).uid;
  if (owner !== ownUid(account)) {
    throw new Error(
      `The database in ${root} belongs to uid ${owner}, but PostgreSQL would run as uid ${ownUid(account)}. ` +
        'Start Agora as the user who made it, or give the files to the new one (chown -R).',
    );
  }
  const major = madeBy(root);
  if (major !== binaries.major) {
    throw new Error(
      `The database in ${root} was made by PostgreSQL ${major}; this is ${binaries.major}. ` +
        'Dump it with the old version of Agora and load it into the new one (pg_dumpall, psql).',
    );
  }
}

/** The socket's directory: in the database's own, unless that path is too long for a socket. */
function runDirectory(root: string, account: Account): string {
  const own = join(root, 'run');
  const fits = (directory: string) => Buffer.byteLength(`${directory}/.s.PGSQL.${SOCKET_PORT}`) <= SOCKET_PATH_LIMIT;
  if (fits(own)) return own;
  const pointer = join(root, 'run', 'elsewhere');
  const known = readLink(pointer);
  if (known && fs.existsSync(known)) return known;
  // After a reboot the temporary directory may be gone; then the pointer is made again.
  if (known) fs.rmSync(pointer, { force: true });
  const made = fs.mkdtempSync('/tmp/agora-');
  if (account.uid !== undefined) fs.chownSync(made, account.uid, account.gid ?? 0);
  try {
    fs.symlinkSync(made, pointer);
  } catch (error) {
    fs.rmdirSync(made);
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return fs.readlinkSync(pointer);
  }
  return made;
}
