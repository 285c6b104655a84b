import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Pin, unpacked } from '@agora-market/examples/archives';
import { goModule, type Served, wheel } from '@agora-market/examples/registries';
import { hashOfMod, hashOfZip } from '@agora-market/server/dependencies';
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
  /** Packages of its lock that no public registry has. */
  served?: Served[];
}

interface Spec {
  name: string;
  ecosystem: Ecosystem;
  archives: string[];
  /** Archives of the packages that it needs; none where its own lock says where they are. */
  packages?: string[];
  /** Where the project lies in its archive. */
  root?: string;
  /** What of it is taken, and what is not. */
  only?: string;
  without?: string;
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

const isTest = /(?:^|\/)(?:tests?|spec|t|__tests__)\/|(?:^|[/_.-])(?:tests?|spec)\.|(?:^|\/)test_/;
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

/** What registries serve for a project, and its lock, where Debian has the packages. */
type Locked = { served: Served[]; edits: Edits };

function lockedPython(packages: readonly string[]): Locked {
  const wheels = packages.map(wheel);
  const lines = wheels.map(({ name, version, hash }) => `${name}==${version} --hash=sha256:${hash}\n`);
  return { served: wheels.flatMap(({ served }) => served), edits: { 'requirements.txt': lines.join('') } };
}

/** A go.mod that needs these versions alone. */
function withModules(manifest: string, needed: readonly { module: string; version: string }[]): string {
  const rest = manifest.replace(/^require (?:\([^)]*\)|\S+ \S+.*)$/gm, '').trimEnd();
  return `${rest}\n\n${needed.map(({ module, version }) => `require ${module} ${version}\n`).join('')}`;
}

/** An older module has no go.mod. */
const moduleManifest = (name: string) => `module github.com/${name.replace('-', '/')}\n\ngo 1.19\n`;

async function lockedGo(
  manifest: string,
  packages: readonly { name: string; version: string; at: string }[],
): Promise<Locked> {
  const all = packages.map(({ name, version, at }) => {
    const path = join(at, 'go.mod');
    const text = existsSync(path) ? readFileSync(path, 'utf8') : moduleManifest(name.replace('golang-github-', ''));
    return { module: /^module (\S+)/m.exec(text)![1]!, version: `v${version.replace(/[-+].*/, '')}`, at, text };
  });
  const made = all.map(({ module, version, at, text }) => {
    const needed = all.filter((other) => other.module !== module && text.includes(`${other.module} v`));
    return { module, version, served: goModule(module, version, at, withModules(text, needed)) };
  });
  const sums = made.map(async ({ module, version, served }) => {
    const bytes = (end: string) => Buffer.from(served.find(({ path }) => path.endsWith(end))!.content);
    const h1 = (hex: string) => `h1:${Buffer.from(hex, 'hex').toString('base64')}\n`;
    const zip = h1((await hashOfZip(bytes('.zip')))!);
    return `${module} ${version} ${zip}${module} ${version}/go.mod ${h1(hashOfMod(bytes('.mod')))}`;
  });
  const edits = { 'go.mod': withModules(manifest, all), 'go.sum': (await Promise.all(sums)).join('') };
  return { served: made.flatMap(({ served }) => served), edits };
}

const javascriptLock = /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml)$/;

/** A project of Python as its developers run its tests: a package that lies in `src` is found there. */
function withPackages(spec: Spec, all: Tree, { served, edits }: Locked, command: string): Built {
  const left = new RegExp(spec.without ?? '^$');
  const isLeft = (path: string) => /^(?:docs?|examples|requirements)\b/.test(path) || left.test(path);
  const tree = new Map([...all].filter(([path]) => !isLeft(path)));
  const hasSrc = [...tree.keys()].some((path) => path.startsWith('src/'));
  return { served, tree: edited(tree, edits), command: spec.command ?? `${hasSrc ? 'PYTHONPATH=src ' : ''}${command}` };
}

type Built = Pick<Project, 'tree' | 'command' | 'served'>;

async function built(corpus: Corpus, cache: string, spec: Spec): Promise<Built> {
  const at = (name: string) => unpacked(cache, name, corpus.archives[name]!);
  const [first = '', ...others] = await Promise.all(spec.archives.map(at));
  const packages = await Promise.all((spec.packages ?? []).map(at));
  switch (spec.ecosystem) {
    case 'python': {
      const command = 'python3 -m pytest -q';
      if (spec.module !== undefined) return { tree: pythonModule(spec.module, first, others), command };
      const all = readTree(join(first, spec.root ?? ''));
      if (spec.packages !== undefined) {
        return withPackages(spec, all, lockedPython(packages), command);
      }
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
      const none = { 'go.mod': manifest, 'go.sum': null, 'go.work': null };
      const command = 'go test ./...';
      if (spec.packages === undefined) return { tree: edited(tree, none), command };
      const versionOf = (name: string) => (corpus.archives[name] as { version: string }).version;
      const needed = spec.packages.map((name, nth) => ({ name, version: versionOf(name), at: packages[nth]! }));
      const { served, edits } = await lockedGo(tree.has('go.mod') ? textOf(tree, 'go.mod') : manifest, needed);
      return { served, tree: edited(tree, { ...none, ...edits }), command };
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
      const all = readTree(first);
      if ([...all.keys()].some((path) => javascriptLock.test(path))) {
        const manifest = { ...(JSON.parse(textOf(all, 'package.json')) as object), scripts: { test: spec.command! } };
        return { tree: edited(all, { 'package.json': JSON.stringify(manifest, null, 2) }), command: 'npm test' };
      }
      const runner = await Promise.all(corpus.tape.map(async ({ archive, at: to }) => readTree(await at(archive), to)));
      const tree = new Map(
        [...all, ...runner.flatMap((part) => [...part])].filter(
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
  const made = await built(corpus, cache, spec);
  const origin = 'npm' in corpus.archives[spec.archives[0]!]! ? 'npm' : 'debian';
  return { name: spec.name, ecosystem: spec.ecosystem, origin, ...made, ...filesOf(made.tree, spec.ecosystem) };
}

type OwnFiles = (typeof own)[number];

export function projectOfFiles({ name, ecosystem, command, files }: OwnFiles): Project {
  const tree = treeOf(files);
  return { name, ecosystem, origin: 'own', tree, command, ...filesOf(tree, ecosystem) };
}

export const ownProjects = (): Project[] => own.map(projectOfFiles);
