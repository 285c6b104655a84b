import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));
export const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
export const tool = (name: string) => join(repositoryRoot, 'interop/node_modules/.bin', name);

/** Two packings at once would race for the files that `prepack` writes beside the sources. */
const inTurn = (command: string, ...args: string[]) =>
  run('flock', [join(repositoryRoot, 'package.json'), command, ...args], { cwd: repositoryRoot });

/** Writes a release into a directory. */
export const releaseInto = (directory: string) => inTurn(process.execPath, 'scripts/release.mjs', directory);

/** The SDK as `npm pack` makes it, and projects that have nothing else. */
export interface Place {
  directory: string;
  tarball: string;
  /** A new project with the tarball installed. */
  project(name: string, type: 'module' | 'commonjs', files: Record<string, string>): Promise<string>;
  remove(): Promise<void>;
}

export async function packSdk(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'agora-packed-'));
  await inTurn('npm', 'pack', '-w', 'packages/sdk', '--ignore-scripts=false', '--pack-destination', directory);
  const tarball = join(directory, (await readdir(directory)).find((name) => name.endsWith('.tgz')) as string);
  return {
    directory,
    tarball,
    async project(name, type, files) {
      const project = join(directory, name);
      await mkdir(project);
      const all = { 'package.json': JSON.stringify({ name: 'consumer', private: true, type }), ...files };
      for (const [path, text] of Object.entries(all)) await writeFile(join(project, path), text);
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
      return project;
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

const smoke = await readFile(new URL('smoke.mjs', import.meta.url), 'utf8');

/** The smoke program, for `import` or `require`; the server's address is its argument. */
export const smokeProgram = (type: 'module' | 'commonjs'): string => {
  const main = `smoke(process.argv[2]).then((told) => console.log(JSON.stringify(told)));`;
  if (type === 'module') return `import process from 'node:process';\n${smoke}\n${main}`;
  const required = smoke
    .replaceAll(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = require($2);')
    .replace('export async function', 'async function');
  return `${required}\n${main}`;
};

/** The smoke program as a page would have it; the server's address is the global `server`, what it tells `told`. */
export const smokePage = `${smoke}\nglobalThis.told = smoke(globalThis.server);`;
