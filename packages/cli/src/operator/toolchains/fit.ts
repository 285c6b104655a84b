import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ToolchainRecord } from '@agora-market/server/sandbox';
import { run } from './run.ts';

/** Makes a tree of unpacked packages work from another place than `/`, for no script of a package ran. */

type Fitted = Pick<ToolchainRecord, 'programs' | 'variables'>;

/** The last is Maven's own, which Debian links from the others when it is installed. */
const programPlaces = ['usr/local/bin', 'usr/bin', 'bin', 'usr/sbin', 'sbin', 'usr/share/maven/bin'];
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
  await freeScripts(tree);
  Object.assign(variables, await fitRuby(tree, place), await fitPhp(tree, place));
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
  if (!target.startsWith('/')) return;
  // Another link counts, wherever that leads by now.
  if ((await lstat(join(tree, target)).catch(() => null)) === null) return;
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

const isPythonScript = async (path: string): Promise<boolean> =>
  /^#! ?\/usr\/bin\/(?:env )?python3/.test(await headOf(path));

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Scripts look for the program that runs them among those of the command. */
async function freeScripts(tree: string): Promise<void> {
  for (const path of await below(tree, 'usr/bin')) {
    const file = join(tree, path);
    if (!(await lstat(file)).isFile()) continue;
    const [, interpreter] = /^#! ?\/usr\/bin\/([\w.-]+)\n/.exec(await headOf(file)) ?? [];
    if (interpreter === undefined || !existsSync(join(tree, 'usr/bin', interpreter))) continue;
    const text = await readFile(file, 'latin1');
    await writeFile(file, text.replace(/^.*/, `#!/usr/bin/env ${interpreter}`), 'latin1');
  }
}

/** Ruby's own libraries. They come last, as where it is installed, so that gems of a project win. */
async function fitRuby(tree: string, place: string): Promise<Record<string, string>> {
  const homes = (await below(tree, 'usr/lib')).map((path) => join(path, 'ruby'));
  const all = ['usr/lib/ruby', ...homes].flatMap((home) => [home, join(home, 'vendor_ruby')]);
  const versioned = (await Promise.all(all.map((path) => below(tree, path)))).flat();
  const own = ['usr/lib/ruby/vendor_ruby', ...versioned.filter((path) => /\/\d+\.\d+\.\d+$/.test(path))];
  if (own.length === 1) return {};
  const last = `own = ${JSON.stringify(own.map((path) => join(place, path)))}\n$LOAD_PATH.replace($LOAD_PATH - own + own)\n`;
  await writeFile(join(tree, 'own-last.rb'), last);
  return { RUBYLIB: own.map((path) => `{}/${path}`).join(':'), RUBYOPT: '-r{}/own-last' };
}

/** The extensions of PHP, which Debian turns on when it installs them, in the order that their settings have. */
async function fitPhp(tree: string, place: string): Promise<Record<string, string>> {
  const extensions = (await below(tree, 'usr/lib/php')).find((path) => /\/\d{8}$/.test(path));
  if (extensions === undefined) return {};
  const packages = (await below(tree, 'usr/share')).filter((path) => /\/php\d+\.\d+-[\w-]+$/.test(path));
  const settings = (await Promise.all(packages.map((path) => readdir(join(tree, path), { recursive: true })))).flatMap(
    (names, nth) => names.filter((name) => name.endsWith('.ini')).map((name) => join(packages[nth]!, name)),
  );
  const texts = await Promise.all([...new Set(settings)].map((path) => readFile(join(tree, path), 'utf8')));
  const priority = (text: string) => Number(/^; priority=(\d+)/m.exec(text)?.[1] ?? 20);
  const sorted = texts.sort((a, b) => priority(a) - priority(b));
  await mkdir(join(tree, 'php'), { recursive: true });
  const all = [`extension_dir=${join(place, extensions)}`, ...sorted].join('\n');
  await writeFile(join(tree, 'php/extensions.ini'), all);
  return { PHP_INI_SCAN_DIR: '{}/php' };
}
