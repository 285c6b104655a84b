import { posix } from 'node:path';
import { SandboxError } from './driver.ts';

/** The directories that file calls reach, with the buyer's inputs for reading only; programs in the sandbox see more. */
const BASES = { write: ['/workspace', '/tmp'], read: ['/workspace', '/tmp', '/input'] } as const;

export interface SandboxPath {
  base: (typeof BASES)['read'][number];
  /** Below the base and exactly as given: the agent in the sandbox judges links and `..`, as it sees the files. */
  relative: string;
}

/** Splits a path as callers give it: absolute, or relative to `/workspace`. */
export function parsePath(path: string, use: 'read' | 'write' = 'write'): SandboxPath {
  if (!path.startsWith('/')) return { base: '/workspace', relative: path };
  const absolute = path.replace(/^\/+/, '/');
  for (const base of BASES[use]) {
    if (absolute === base) return { base, relative: '' };
    if (absolute.startsWith(`${base}/`)) return { base, relative: absolute.slice(base.length).replace(/^\/+/, '') };
  }
  throw absolute === '/input' || absolute.startsWith('/input/') ? readOnly() : escapes();
}

export const showPath = ({ base, relative }: SandboxPath): string => posix.join(base, relative).replace(/(.)\/$/, '$1');

const escapes = (): SandboxError =>
  new SandboxError('PATH_ESCAPES', 'The path leads outside /workspace, /tmp and /input.');

const readOnly = (): SandboxError =>
  new SandboxError('PATH_ESCAPES', '/input is read-only. Write to /workspace or /tmp.');

/** The sandbox agent's errno as an error for callers. The numbers are the same on x86_64 and arm64. */
export function fileError(errno: number, path: string): SandboxError {
  switch (errno) {
    case 2:
      return new SandboxError('FILE_NOT_FOUND', `${path} does not exist.`);
    case 16:
      return new SandboxError('PAUSED', 'The sandbox is paused. Resume it first.');
    case 18:
      return escapes();
    case 20:
      return new SandboxError('NOT_A_DIRECTORY', `A part of ${path} is not a directory.`);
    case 6:
    case 21:
      return new SandboxError('NOT_A_FILE', `${path} is not a regular file.`);
    case 28:
    case 122:
      return new SandboxError('NO_SPACE', 'The disk of the sandbox is full.');
    case 11:
    case 12:
    case 24:
    case 137:
      return new SandboxError('EXHAUSTED', `The sandbox failed on ${path} (${REFUSALS[errno]}).`);
    default:
      return new SandboxError('REFUSED', `The sandbox refused ${path} (${REFUSALS[errno] ?? `errno ${errno}`}).`);
  }
}

const REFUSALS: Record<number, string> = {
  11: 'it is out of processes',
  12: 'it is out of memory',
  13: 'permission denied',
  24: 'it is out of file descriptors',
  36: 'the path is too long or too deep',
  40: 'the links go in a circle',
  74: 'the archive is damaged',
  137: 'its process was ended',
};
