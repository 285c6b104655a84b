import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Pin, unpacked } from '@agora/examples/archives';
import type { Ecosystem } from './ecosystem.ts';
import { own } from './own.ts';
import { type Edits, edited, readTree, type Tree, textOf, treeOf } from './tree.ts';

export type Origin = 'debian' | 'npm' | 'own';

/** A project whose tests pass, as its buyer has it before anything is broken. */
export interface Project {
  name: string;
  ecosystem: Ecosystem;
  origin: Origin;
  tree: Tree;
  /** Runs its tests. */
  command: string;
  /** Where defects are made. */
  work: string[];
  /** Files of its tests. */
  tests: string[];
}

interface Spec {
  name: string;
  ecosystem: Ecosystem;
  archives: string[];
  /** Where the project lies in its archive. */
  root?: string;
  /** What of it is taken. */
  only?: string;
  /** A module of Python's own library. */
  module?: string;
  /** For cmake. */
  flags?: string;
  command?: string;
}

export interface Corpus {
  tools: string[];
  /** Packages of the runner that npm's projects use, and where they lie in a project. */
  tape: { archive: string; at: string }[];
  archives: Record<string, Pin>;
  projects: Spec[];
}

export const readCorpus = (): Corpus =>
  JSON.parse(readFileSync(new URL('../../src/verdict/corpus.json', import.meta.url), 'utf8')) as Corpus;

/** A module of Python's library under another name, because the runner itself imports most of them. */
function pythonModule(module: string, suite: string, libraries: readonly string[]): Tree {
  const renamed = (text: string) =>
    text
      .replace(new RegExp(`^(\\s*)import ${module}( as \\w+)$`, 'gm'), `$1import my_${module}$2`)
      .replace(new RegExp(`^(\\s*import (?:\\w+, )*)${module}(, |$)`, 'gm'), `$1my_${module} as ${module}$2`)
      .replace(new RegExp(`import_deprecated\\((['"])${module}\\1\\)`, 'g'), `import_deprecated('my_${module}')`)
      .replace(new RegExp(`^(\\s*)from ${module}( import|\\.)`, 'gm'), `$1from my_${module}$2`)
      .replace(new RegExp(`(['"])${module}\\.`, 'g'), `$1my_${module}.`);
  const files: Edits = {};
  const lib = 'usr/lib/python3.11';
  for (const [path, { content }] of libraries.flatMap((library) => [...readTree(join(library, lib))])) {
    const isOf = path === `${module}.py` || (path.startsWith(`${module}/`) && path.endsWith('.py'));
    if (isOf) files[`my_${path}`] = renamed(content.toString('utf8'));
  }
  files[`test_my_${module}.py`] = renamed(textOf(readTree(join(suite, lib, 'test')), `test_${module}.py`));
  return treeOf(files);
}

/** A manifest of Cargo without the packages that only its own tests and options need, for a sandbox has none. */
function withoutDependencies(manifest: string): string {
  const sections = manifest.split(/^(?=\[)/m);
  const isOptional = (section: string) =>
    /^\[(?:target\..*)?dependencies/.test(section) && /optional *= *true/.test(section);
  const names = sections
    .filter(isOptional)
    .flatMap((section) => /^\[.*dependencies\.([\w-]+)\]/.exec(section)?.slice(1) ?? []);
  const kept = sections.filter(
    (section) =>
      !isOptional(section) && !/^\[(?:target\..*)?(?:dev|build)-dependencies|^\[\[(?:bench|example)\]\]/.test(section),
  );
  const refers = new RegExp(`"(?:dep:)?(?:${names.join('|') || '-'})(?:/[\\w-]+)?",?`, 'g');
  return kept.map((section) => (section.startsWith('[features]') ? section.replace(refers, '') : section)).join('');
}

/** The directory that holds all of a kind of file, as deep as possible. */
function commonDirectory(paths: readonly string[]): string {
  const parts = paths.map((path) => posix.dirname(path).split('/'));
  const first = parts[0] ?? [];
  const end = first.findIndex((part, at) => parts.some((each) => each[at] !== part));
  return first.slice(0, end === -1 ? undefined : end).join('/');
}

const below = (tree: Tree, directory: string): Tree =>
  new Map(
    [...tree].flatMap(([path, file]) => {
      if (directory === '.' || directory === '') return [[path, file]];
      const inside = path.slice(directory.length + 1);
      return path.startsWith(`${directory}/`) ? [[inside, { ...file, path: inside }]] : [];
    }),
  );

const isTest = /(?:^|\/)(?:tests?|spec|t|__tests__)\/|[_.-]tests?\.|(?:^|\/)test_/;
const isBeside =
  /(?:^|\/)(?:benches|examples?|fuzz|bench|docs?|node_modules)\/|generated|tables?\b|entities|_data\b|build\.rs|setup\.py|conftest/i;

const extensions: Record<Ecosystem, RegExp> = {
  python: /\.py$/,
  javascript: /\.[cm]?js$/,
  typescript: /\.ts$/,
  go: /\.go$/,
  rust: /\.rs$/,
  c: /\.[ch]$/,
  java: /\.java$/,
  shell: /\.sh$/,
};

/** The files of a project's work, without tables that a program has made, and those of its tests. */
function filesOf(tree: Tree, ecosystem: Ecosystem): Pick<Project, 'work' | 'tests'> {
  const paths = [...tree.values()]
    .filter(({ type, path }) => type === 'file' && extensions[ecosystem].test(path) && !isBeside.test(path))
    .map(({ path }) => path)
    .sort();
  return {
    work: paths.filter((path) => !isTest.test(path) && tree.get(path)!.content.length < 200_000),
    tests: paths.filter((path) => isTest.test(path) && !path.endsWith('__init__.py')),
  };
}

async function built(corpus: Corpus, cache: string, spec: Spec): Promise<{ tree: Tree; command: string }> {
  const at = (name: string) => unpacked(cache, name, corpus.archives[name]!);
  const [first = '', ...others] = await Promise.all(spec.archives.map(at));
  switch (spec.ecosystem) {
    case 'python': {
      const command = 'python3 -m pytest -q';
      if (spec.module !== undefined) return { tree: pythonModule(spec.module, first, others), command };
      const all = readTree(join(first, spec.root!));
      return {
        tree: new Map([...all].filter(([path]) => path.startsWith(spec.only!) && path.endsWith('.py'))),
        command,
      };
    }
    case 'go': {
      const all = readTree(join(first, spec.root ?? ''));
      const root = all.has('go.mod') ? '' : commonDirectory([...all.keys()].filter((path) => path.endsWith('.go')));
      const tree = below(all, root);
      const requires = /^require (?:\([^)]*\)|\S+ \S+)$/gm;
      const manifest = tree.has('go.mod')
        ? textOf(tree, 'go.mod').replace(requires, '')
        : `module ${/\w/.test(root) ? root : `github.com/${spec.name.replace('-', '/')}`}\n\ngo 1.19\n`;
      return { tree: edited(tree, { 'go.mod': manifest, 'go.sum': null, 'go.work': null }), command: 'go test ./...' };
    }
    case 'rust': {
      const all = readTree(join(first, spec.root!));
      const tree = below(all, [...all.keys()][0]!.split('/')[0]!);
      const manifest = withoutDependencies(textOf(tree, 'Cargo.toml'));
      const edits = {
        'Cargo.toml': manifest,
        'Cargo.toml.orig': null,
        'Cargo.lock': null,
        '.cargo-checksum.json': null,
      };
      return { tree: edited(tree, edits), command: 'cargo test --offline' };
    }
    case 'c': {
      const steps = [`cmake -DCMAKE_BUILD_TYPE=Debug ${spec.flags} ..`, '$(MAKE) -j2', 'ctest'].join(' && ');
      const makefile = `test:\n\trm -rf b && mkdir b && cd b && ${steps}\n`;
      return { tree: edited(readTree(first), { Makefile: makefile }), command: 'make -B test' };
    }
    default: {
      const runner = await Promise.all(corpus.tape.map(async ({ archive, at: to }) => readTree(await at(archive), to)));
      const tree = new Map(
        [...readTree(first), ...runner.flatMap((part) => [...part])].filter(
          ([path]) => !/\/node_modules\/[^/]+\/(?:test|example)/.test(`/${path}`),
        ),
      );
      const manifest = { ...(JSON.parse(textOf(tree, 'package.json')) as object), scripts: { test: spec.command! } };
      const bin = { 'node_modules/.bin/tape': { link: '../tape/bin/tape' } };
      return { tree: edited(tree, { 'package.json': JSON.stringify(manifest, null, 2), ...bin }), command: 'npm test' };
    }
  }
}

/** Fetches a project's parts and puts them together. Rejects with `NotHad` where one cannot be had. */
export async function projectOf(corpus: Corpus, cache: string, spec: Spec): Promise<Project> {
  const { tree, command } = await built(corpus, cache, spec);
  const origin = spec.ecosystem === 'javascript' ? 'npm' : 'debian';
  return { name: spec.name, ecosystem: spec.ecosystem, origin, tree, command, ...filesOf(tree, spec.ecosystem) };
}

export const ownProjects = (): Project[] =>
  own.map(({ name, ecosystem, command, files }) => {
    const tree = treeOf(files);
    return { name, ecosystem, origin: 'own', tree, command, ...filesOf(tree, ecosystem) };
  });
