import { cp, mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/** The npm that goes with a Node: newer ones need a newer Node. */
const npmFor = (node: number) => (node >= 22 ? 'npm@11' : 'npm@10');

/** A Node of npm's registry with its npm; npm checks their hashes. */
export async function unpackNode(version: string, tree: string, workDir: string): Promise<void> {
  const binary = `node-linux-${process.arch}`;
  const wanted = [`${binary}@${version}`, npmFor(Number.parseInt(version, 10))];
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--prefix', workDir, ...wanted],
    workDir,
  );
  const modules = join(workDir, 'node_modules');
  await mkdir(join(tree, 'bin'), { recursive: true });
  await mkdir(join(tree, 'lib/node_modules'), { recursive: true });
  await rename(join(modules, binary, 'bin/node'), join(tree, 'bin/node'));
  await cp(join(modules, 'npm'), join(tree, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(tree, 'bin', name));
  }
}
