import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Programs that make runners report each test (`packages/server/reporters`). They lie read-only in every sandbox, so that a
 * run of the gate does not have to lay them; only the gate uses them.
 */

export const REPORTERS_PATH = '/agora-reporters';

const source = fileURLToPath(new URL('../../reporters/', import.meta.url));
/** Python looks for packages of a user in a directory of its version. */
const pythonMinors = [8, 9, 10, 11, 12, 13, 14, 15];

/** A file or a link of `REPORTERS_PATH`. */
export interface Reporter {
  /** Relative to it. */
  path: string;
  mode: number;
  content?: Buffer;
  link?: string;
}

/** The directories, each before those below it, and what lies in them. */
export function reporters(): { directories: string[]; files: Reporter[] } {
  const found = readdirSync(source, { recursive: true, withFileTypes: true });
  const files = found
    .filter((each) => each.isFile() && each.name !== 'README.md')
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name).slice(source.length);
      return { path, mode: path.startsWith('tools/') ? 0o755 : 0o644, content: readFileSync(join(source, path)) };
    });
  const homes = pythonMinors.map((minor) => `user/lib/python3.${minor}`);
  const links = homes.map((home) => ({ path: `${home}/site-packages`, mode: 0o777, link: '../../../python' }));
  const own = found
    .filter((each) => each.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(source.length));
  return { directories: [...own.toSorted(), 'user', 'user/lib', ...homes], files: [...files, ...links] };
}
