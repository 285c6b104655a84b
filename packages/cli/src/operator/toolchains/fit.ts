import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ToolchainRecord } from '@agora/server/sandbox';
import { run } from './run.ts';

/** Makes a tree of unpacked packages work from another place than `/`, for no script of a package ran. */

type Fitted = Pick<ToolchainRecord, 'programs' | 'variables'>;

const programPlaces = ['usr/local/bin', 'usr/bin', 'bin', 'usr/sbin', 'sbin'];
const forReaders = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/lintian', 'usr/share/info'];
const pythonModules = 'usr/lib/python3/dist-packages';
/** Where Python finds our `sitecustomize`. */
const pythonPlace = 'python';

/** What commands need to find what is in the tree, which will be seen at `place`. */
export async function fit(tree: string, place: string): Promise<Fitted> {
  for (const path of forReaders) await rm(join(tree, path), { recursive: true, force: true });
  await walk(tree, tree);
  await linkNames(tree);
  const variables: Record<string, string> = {};
  const programs = programPlaces.filter((path) => existsSync(join(tree, path)));
  const jdk = (await below(tree, 'usr/lib/jvm')).find((path) => existsSync(join(tree, path, 'bin/java')));
  if (jdk !== undefined) {
    variables.JAVA_HOME = `{}/${jdk}`;
    programs.push(`${jdk}/bin`);
  }
  const libraries = [...(await below(tree, 'usr/lib')), ...(await below(tree, 'lib'))].filter((path) =>
    /-linux-gnu\w*$/.test(path),
  );
  if (libraries.length > 0) variables.LD_LIBRARY_PATH = libraries.map((path) => `{}/${path}`).join(':');
  if (existsSync(join(tree, pythonModules))) {
    await fitPython(tree, place);
    variables.PYTHONPATH = `{}/${pythonPlace}`;
  }
  return { programs, variables };
}

/** Names that Debian's alternatives give a program when it is installed. */
const otherNames: [name: string, program: RegExp][] = [
  ['cc', /^gcc$/],
  ['c++', /^g\+\+$/],
  ['php', /^php\d+\.\d+$/],
];

async function linkNames(tree: string): Promise<void> {
  const place = join(tree, 'usr/bin');
  const there = await readdir(place).catch((): string[] => []);
  for (const [name, program] of otherNames) {
    const found = there.find((each) => program.test(each));
    if (found !== undefined && !there.includes(name)) await symlink(found, join(place, name));
  }
}

const below = async (tree: string, path: string): Promise<string[]> =>
  (await readdir(join(tree, path)).catch(() => [])).map((name) => join(path, name));

/** Everybody may read all of it, and links to `/` lead into the tree. */
async function walk(tree: string, directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const facts = await lstat(path);
    if (facts.isDirectory()) await walk(tree, path);
    else if (facts.isSymbolicLink()) await turnLink(tree, path);
    else await chmod(path, facts.mode & 0o111 ? 0o755 : 0o644);
  }
}

async function turnLink(tree: string, path: string): Promise<void> {
  const target = await readlink(path);
  if (!target.startsWith('/') || !existsSync(join(tree, target))) return;
  await rm(path);
  await symlink(relative(dirname(path), join(tree, target)), path);
}

/**
 * The modules come last, so that those of the system and of a project's own environment win. Scripts find them also where
 * a command has a PYTHONPATH of its own.
 */
async function fitPython(tree: string, place: string): Promise<void> {
  const line = `import sys; sys.path.append('${join(place, pythonModules)}')\n`;
  await mkdir(join(tree, pythonPlace), { recursive: true });
  await writeFile(join(tree, pythonPlace, 'sitecustomize.py'), line);
  for (const path of await below(tree, 'usr/bin')) {
    const file = join(tree, path);
    if (!(await lstat(file)).isFile() || !(await isPythonScript(file))) continue;
    const [head = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${head}\n${line}${rest.join('\n')}`);
  }
  // pytest starts in a fifth of the time with its modules compiled. Some packages have files for other versions.
  await run('python3', ['-m', 'compileall', '-q', join(tree, pythonModules)], tree).catch(() => '');
}

async function isPythonScript(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return /^#! ?\/usr\/bin\/(?:env )?python3/.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await file.close();
  }
}
