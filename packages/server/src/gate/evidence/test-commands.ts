import { posix } from 'node:path';
import { parseRecord } from '../reading/parse-record.ts';
import { declaresTests, isTestFile } from '../restore/restored-files.ts';

/** How a project's own tests are started, from its own files. */
export interface TestCommand {
  command: string;
  tool: string;
  /** Relative to the workspace; empty for the workspace itself. */
  directory: string;
  env?: Record<string, string>;
}

export interface ProjectFile {
  path: string;
  /** Content of manifests; other files may leave it out. */
  text: string | null;
}

const manifests = new Set(['package.json', 'go.mod', 'Cargo.toml', 'Makefile', 'makefile']);

export const isManifest = (path: string) => manifests.has(posix.basename(path));

const directoryOf = (path: string) => {
  const directory = posix.dirname(posix.normalize(path));
  return directory === '.' ? '' : directory;
};

/** What one manifest declares, or null if it declares no tests. */
function ofManifest(
  { path, text }: ProjectFile,
  goTested: () => ReadonlySet<string>,
): Omit<TestCommand, 'directory'> | null {
  switch (posix.basename(path)) {
    case 'package.json':
      return declaresTests(parseRecord(text ?? '')) ? { command: 'npm test', tool: 'npm' } : null;
    case 'go.mod':
      return goTested().has(directoryOf(path)) ? { command: 'go test ./...', tool: 'go' } : null;
    case 'Cargo.toml':
      return { command: 'cargo test --offline', tool: 'cargo' };
    default:
      // Without -B a file or directory named `test` would let make find nothing to do.
      return /^test\s*:/m.test(text ?? '') ? { command: 'make -B test', tool: 'make' } : null;
  }
}

/** All directories that hold one of the files, directly or further down; the workspace itself is ''. */
function directoriesAbove(paths: readonly string[]): Set<string> {
  const above = new Set<string>();
  for (const path of paths) {
    for (let directory = directoryOf(path); !above.has(directory); directory = directoryOf(directory)) {
      above.add(directory);
      if (directory === '') break;
    }
  }
  return above;
}

/** Tests without a manifest of their own; both runners find them by name from the workspace's root. */
function ofTestFiles(paths: readonly string[]): TestCommand | null {
  if (paths.some((path) => isTestFile(path) && /\.[cm]?js$/.test(path))) {
    return { command: 'node --test', tool: 'node', directory: '' };
  }
  if (paths.some((path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path))) {
    // As a module it puts the root on the path, where most projects have their own; the others have it in src.
    return { command: 'python3 -m pytest -q', tool: 'python3', directory: '', env: { PYTHONPATH: '/workspace/src' } };
  }
  return null;
}

const depth = (path: string) => path.split('/').length;

/** The project's one test command: from the manifest nearest to the root, or implied by its test files. */
export function declaredTests(files: readonly ProjectFile[]): TestCommand | null {
  const paths = files.map((file) => posix.normalize(file.path)).filter((path) => !path.includes('node_modules/'));
  const order = [...manifests];
  let tested: Set<string> | undefined;
  const goTested = () => {
    tested ??= directoriesAbove(paths.filter((path) => path.endsWith('_test.go')));
    return tested;
  };
  const found = files
    .filter((file) => isManifest(file.path) && !file.path.includes('node_modules/') && depth(file.path) <= 4)
    .sort(
      (a, b) =>
        depth(a.path) - depth(b.path) || rank(order, a.path) - rank(order, b.path) || (a.path < b.path ? -1 : 1),
    );
  for (const file of found) {
    const declared = ofManifest(file, goTested);
    if (declared !== null) return { ...declared, directory: directoryOf(file.path) };
  }
  return ofTestFiles(paths);
}

const rank = (order: readonly string[], path: string) => order.indexOf(posix.basename(path));

/** Runners that found nothing to run still succeed; that is no evidence. */
export const ranNoTests = (output: string) =>
  /^(?:#|ℹ) tests 0$/m.test(output) || /^no tests? (?:ran|found|files)/im.test(output);

/** Whether it failed for want of a module, even if no manifest names it: where packages are known to lack, that is why. */
export const lacksModule = (output: string): boolean =>
  /Cannot find (?:module|package) '(?![./])[^']{1,200}'/.test(output);

/** Manifests and complaints are read only as far as an honest one goes. */
const maxManifestChars = 256 * 1024;
const maxModules = 50;

/**
 * Whether the buyer's own, untouched project failed for want of something that cannot be had offline. Only
 * that run is asked, never the delivered one, which could feign it. A missing relative file is not meant:
 * it may be the very file to be written.
 */
export function lacksDependencies(output: string, manifestText: string, ownModules: ReadonlySet<string> = new Set()) {
  if (/: No module named pytest$/m.test(output)) return true;
  if (/^(?:\/bin\/)?(?:ba|da)?sh: (?:(?:line )?\d+: )?[\w.-]{1,60}: (?:command )?not found/m.test(output)) return true;
  if (
    /no required module provides package|dial tcp|could not resolve host|failed to download|\bEAI_AGAIN\b|\bENOTFOUND\b/i.test(
      output,
    )
  ) {
    return true;
  }
  const manifest = manifestText.slice(0, maxManifestChars);
  for (const [, name] of output.matchAll(
    /Cannot find (?:module|package) '((?:@[^'/]{1,100}\/)?[^'./][^'/]{0,200})[/']/g,
  ))
    if (manifest.includes(`"${name}"`)) return true;
  const wanted = manifest.toLowerCase().replaceAll('-', '_');
  const modules = new Set<string>();
  for (const [, module] of output.matchAll(/No module named '?([A-Za-z_]\w{0,80})/g)) {
    if (modules.add(module!.toLowerCase()).size === maxModules) break;
  }
  return [...modules].some((module) => !ownModules.has(module) && wanted.includes(module));
}
