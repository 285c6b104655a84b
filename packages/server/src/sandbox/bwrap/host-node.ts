import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { placesInPath } from '../../platform/index.ts';

/**
 * The Node that runs this server, for sandboxes that would not see it: nvm, fnm and volta put it into a home directory,
 * and set-up beside the project where the system's is too old. Only it and its npm are mounted, never the directory
 * around them, which may be a home directory.
 */
export interface HostNode {
  program: string;
  /** The directory of its npm. */
  npm: string | undefined;
}

/** Where it is seen inside; first in the PATH, so that it comes before an older one of the system. */
const INSIDE = '/opt/node';
export const NODE_PATH = `${INSIDE}/bin`;

/** Undefined if the sandboxes see it under /usr. */
export function findHostNode(): HostNode | undefined {
  const program = realpathSync(process.execPath);
  if (program.startsWith('/usr/')) return undefined;
  return { program, npm: npmOf(program) };
}

/** The npm that came with a Node; for one that came without, the first in the PATH. */
function npmOf(program: string): string | undefined {
  const own = join(dirname(program), '../lib/node_modules/npm/bin/npm-cli.js');
  for (const path of [own, ...placesInPath('npm')]) {
    const found = existsSync(path) ? realpathSync(path) : '';
    if (found.endsWith('/npm/bin/npm-cli.js')) return dirname(dirname(found));
  }
  return undefined;
}

/**
 * The same where every user of this machine can read it, for the sandboxes of root have users of their own: where it is,
 * or copied to `home` where the way to it is closed to others.
 */
export function readableByAll({ program, npm }: HostNode, home: string): HostNode {
  const closed = [program, ...(npm ? [join(npm, 'bin/npm-cli.js')] : [])].some((path) => !isOpenToAll(path));
  if (!closed) return { program, npm };
  mkdirSync(home, { recursive: true });
  const copy = { program: join(home, 'node'), npm: npm && join(home, 'npm') };
  copyFileSync(program, copy.program, constants.COPYFILE_FICLONE);
  if (npm && copy.npm) cpSync(npm, copy.npm, { recursive: true, mode: constants.COPYFILE_FICLONE });
  openToAll(home);
  return copy;
}

function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o004) === 0) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === '/') return true;
  }
}

function openToAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

/** Arguments of bubblewrap. */
export function nodeBinds({ program, npm }: HostNode): string[] {
  const commands = ['npm', 'npx'].flatMap((name) => [
    '--symlink',
    `../lib/node_modules/npm/bin/${name}-cli.js`,
    join(NODE_PATH, name),
  ]);
  const withNpm = npm ? ['--ro-bind', npm, join(INSIDE, 'lib/node_modules/npm'), ...commands] : [];
  return ['--ro-bind', program, join(NODE_PATH, 'node'), ...withNpm];
}
