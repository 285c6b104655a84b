import { spawnSync } from 'node:child_process';
import { UsageError } from '../failure.ts';
import { safeLine } from '../print.ts';

/** A working tree of Git. */
export interface Tree {
  root: string;
  /** Of the current directory in it; empty at the root. */
  prefix: string;
}

/** The tree around the current directory; where there is none, `why` says what it is needed for. */
export function workingTree(why: string): Tree {
  const here = process.cwd();
  const { status, stdout, stderr } = git(here, ['rev-parse', '--is-inside-work-tree', '--show-prefix']);
  const [isInside, prefix = ''] = stdout.split('\n');
  if (status === 0 && isInside === 'true') {
    return { root: git(here, ['rev-parse', '--show-toplevel']).stdout.replace(/\n$/, ''), prefix };
  }
  const reason = status === 0 ? 'it is a directory of Git’s own' : safeLine(stderr.trim(), 200);
  throw new UsageError(`Go to a working tree of Git${why}. Here there is none: ${reason}`);
}

/** Whether tracked files differ from the last commit. */
export const isDirty = ({ root }: Tree): boolean => {
  const { status, stdout } = git(root, ['status', '--porcelain', '--untracked-files=no']);
  return status === 0 && stdout !== '';
};

/** Git names each file that it merges. */
const maxOutputBytes = 64 * 1024 ** 2;

export interface GitOptions {
  env?: NodeJS.ProcessEnv;
  /** Settings for this command alone, as `name=value`. */
  settings?: readonly string[];
  /** Its standard input. */
  input?: string;
  /** Of what goes in and out; UTF-8 unless told. */
  encoding?: 'utf8' | 'latin1';
  timeoutMs?: number;
}

export function git(
  cwd: string,
  args: readonly string[],
  { env, settings = [], input, encoding = 'utf8', timeoutMs }: GitOptions = {},
): { status: number | null; stdout: string; stderr: string } {
  const all = [...settings.flatMap((each) => ['-c', each]), ...args];
  const { error, status, stdout, stderr } = spawnSync('git', all, {
    ...{ cwd, encoding, maxBuffer: maxOutputBytes },
    ...(timeoutMs && { timeout: timeoutMs }),
    ...(input !== undefined && { input: Buffer.from(input, encoding) }),
    env: { ...process.env, ...env, LC_ALL: 'C' },
  });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (error === undefined || code === 'ETIMEDOUT') return { status, stdout, stderr };
  if (code === 'ENOENT') throw new UsageError('Install Git: the command works with it.');
  throw error;
}
