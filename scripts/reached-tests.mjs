import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';

// The graph of imports: what breaks a dependency rule, and which tests a change reaches.

const root = fileURLToPath(new URL('..', import.meta.url));
const TEST = /\.test\.tsx?$/;
const DEEP = /\.deep\.test\.tsx?$/;

/** The modules of these folders, with a line for each import that a rule of `.dependency-cruiser.cjs` forbids. */
export async function readImports(folders) {
  const options = await extractOptions(join(root, '.dependency-cruiser.cjs'));
  const tsConfig = extractTsConfig(join(root, options.tsConfig.fileName));
  const { output } = await cruise(folders, { ...options, baseDir: root }, options.enhancedResolveOptions, { tsConfig });
  const problems = output.summary.violations.map(({ from, to, rule }) => `${from} → ${to}: ${rule.name}`);
  // One that looked at nothing has found nothing.
  return { modules: output.modules, problems: output.modules.length > 0 ? problems : ['no module was read'] };
}

/** Files that differ from a commit, and those that git does not know yet. */
export function changedSince(commit) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  return [...new Set([...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')])];
}

/**
 * Tests of the quick tier that import the changed files, directly or not, the nearest first. Of equally near ones those
 * come first that lie in the folder of a changed file.
 */
export function reachedTests(modules, changed) {
  const importers = new Map();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) importers.set(resolved, [...(importers.get(resolved) ?? []), source]);
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
    .filter((file) => TEST.test(file) && !DEEP.test(file))
    .sort((a, b) => distance.get(a) - distance.get(b) || isFar(a) - isFar(b) || (a < b ? -1 : 1));
}
