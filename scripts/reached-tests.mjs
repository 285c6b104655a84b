import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readImports } from './imports.mjs';
import { QUICK_TEST, SCRIPT } from './structure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

/** Tests of the quick tier that import what differs from a commit, the nearest first. */
export function reachedTests(commit = 'HEAD') {
  const unknown = git('ls-files', '--others', '--exclude-standard');
  const changed = [...new Set([...git('diff', '--name-only', commit), ...unknown])];
  const files = [...git('ls-files'), ...unknown].filter((file) => SCRIPT.test(file));
  const { graph } = readImports(
    root,
    files.filter((file) => existsSync(join(root, file))),
  );
  return testsBehind(graph, changed);
}

/**
 * Tests that import the changed files, directly or not. Of equally near ones those come first that lie in the folder of a
 * changed file.
 */
export function testsBehind(graph, changed) {
  const importers = new Map();
  for (const [file, imports] of graph) {
    for (const { to } of imports) importers.set(to, [...(importers.get(to) ?? []), file]);
  }
  const distance = new Map(changed.map((file) => [file, 0]));
  // Grows while it is walked.
  const reached = [...distance.keys()];
  for (const file of reached) {
    for (const importer of importers.get(file) ?? []) {
      if (distance.has(importer)) continue;
      distance.set(importer, distance.get(file) + 1);
      reached.push(importer);
    }
  }
  const folders = changed.map((file) => file.slice(0, file.lastIndexOf('/') + 1));
  const isFar = (file) => !folders.some((folder) => file.startsWith(folder));
  return reached
    .filter((file) => QUICK_TEST.test(file))
    .sort((a, b) => distance.get(a) - distance.get(b) || isFar(a) - isFar(b) || (a < b ? -1 : 1));
}
