import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SERVER_ENVIRONMENT } from './settings.ts';

/** The user PostgreSQL runs as; empty if the server itself is an ordinary user. Spread into spawn's options. */
export interface Account {
  uid?: number;
  gid?: number;
}

/** Receives the launcher's messages for people; a pino logger fits. */
export interface PostgresLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Where root keeps files that PostgreSQL's user must reach if the project is in a closed directory. */
export const SYSTEM_DIRECTORY = '/var/lib/agora';

/**
 * PostgreSQL refuses to run as root, and a uid without a passwd entry fails as well: root starts it as `nobody`,
 * which every system has.
 */
export function postgresAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const entry = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!entry) {
    throw new Error(
      'PostgreSQL does not run as root, and there is no user "nobody" to run it as. ' +
        'Start Agora as an ordinary user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(entry[1]), gid: Number(entry[2]) };
}

export function ownUid(account: Account): number {
  return account.uid ?? process.getuid?.() ?? 0;
}

/** Runs a command as PostgreSQL's user; returns its output or the problem. */
export function tryAs(account: Account, command: string, args: string[]): { output: string } | { failure: string } {
  const result = spawnSync(command, args, { ...account, env: SERVER_ENVIRONMENT, encoding: 'utf8', cwd: '/' });
  if (result.error) return { failure: result.error.message };
  if (result.status === 0) return { output: result.stdout };
  const said = `${result.stderr}\n${result.stdout}`.trim();
  return { failure: said || `ended with ${result.signal ?? `code ${result.status}`}` };
}

/** Whether PostgreSQL's user can enter a directory. It is tried, because mode bits alone do not decide it. */
export function canEnter(account: Account, directory: string): boolean {
  return 'output' in tryAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', directory]);
}

/**
 * Makes a directory that others can pass through but not list, regardless of the umask. Existing directories above it
 * are not changed.
 */
export function makeDirectory(directory: string): void {
  const first = mkdirSync(directory, { recursive: true, mode: 0o711 });
  if (first === undefined) return;
  for (let path = directory; path.length >= first.length; path = dirname(path)) chmodSync(path, 0o711);
}
