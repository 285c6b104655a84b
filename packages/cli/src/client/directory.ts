import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { UsageError } from '../failure.ts';
import { type Files, fileContent } from './file-content.ts';

/** Never sent: what Git and package managers make, and files that usually hold secrets. An ignore file may not undo it. */
const neverSent = [
  '.git',
  'node_modules',
  '.venv',
  '__pycache__',
  '.env',
  '.env.*',
  '!.env.example',
  '*.pem',
  '*.key',
  'id_rsa*',
  'id_ed25519*',
  '.npmrc',
  '.netrc',
  '.aws',
  '.ssh',
];
const ignoreFiles = ['.gitignore', '.agoraignore'];
const mostFiles = 10_000;

/** Rules of the ignore files of one directory; they count for what is below it. */
interface Rules {
  from: string;
  ignores: Ignore;
}

interface Walk {
  root: string;
  files: Files;
  count: number;
  bytesLeft: number;
}

/** The files below a directory by their path in it. Links are left out, so that nothing outside is sent. */
export async function filesOfDirectory(root: string, mostBytes: number): Promise<Files> {
  const walk: Walk = { root, files: {}, count: 0, bytesLeft: mostBytes };
  await visit(walk, '', []);
  return walk.files;
}

async function visit(walk: Walk, directory: string, above: readonly Rules[]): Promise<void> {
  const place = join(walk.root, directory);
  const entries = await readdir(place, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--dir ${place} cannot be read: ${reasonOf(error)}.`);
  });
  const rules = [
    ...above,
    ...(await rulesOf(
      walk,
      directory,
      entries.map(({ name }) => name),
    )),
  ];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (isIgnored(path, entry.isDirectory(), rules)) continue;
    if (entry.isDirectory()) await visit(walk, path, rules);
    else if (entry.isFile()) await take(walk, path);
  }
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? 'there is no such directory' : code === 'ENOTDIR' ? 'it is a file; use --file' : message;

async function rulesOf({ root }: Walk, directory: string, names: readonly string[]): Promise<Rules[]> {
  const found = ignoreFiles.filter((name) => names.includes(name));
  const texts = await Promise.all(found.map((name) => readFile(join(root, directory, name), 'utf8')));
  return texts.length === 0
    ? []
    : [{ from: directory === '' ? '' : `${directory}/`, ignores: ignore().add(texts.join('\n')) }];
}

const always = ignore().add(neverSent);

/** What is sent in no case, whatever Git tracks. */
export const isNeverSent = (path: string): boolean => always.ignores(path);

/** Of several ignore files the deepest that says something decides, as in Git. */
function isIgnored(path: string, isDirectory: boolean, rules: readonly Rules[]): boolean {
  const asGit = isDirectory ? `${path}/` : path;
  if (always.ignores(asGit)) return true;
  return rules.reduce((before, { from, ignores }) => {
    const { ignored, unignored } = ignores.test(asGit.slice(from.length));
    return ignored || (before && !unignored);
  }, false);
}

async function take(walk: Walk, path: string): Promise<void> {
  const bytes = await readFile(join(walk.root, path));
  walk.bytesLeft -= bytes.length;
  walk.count += 1;
  if (walk.bytesLeft < 0 || walk.count > mostFiles) {
    throw new UsageError(
      `--dir ${walk.root} has more than ${walk.bytesLeft < 0 ? '1 MiB' : `${mostFiles} files`} (at ${path}). ` +
        'Leave files out by .agoraignore, or use --repo.',
    );
  }
  walk.files[path] = fileContent(bytes);
}
