import { posix } from 'node:path';
import {
  directoryOf,
  type Ecosystem,
  type Found,
  type FoundProject,
  headBytes,
  isBelow,
  outermost,
} from '../ecosystem.ts';
import { problem } from '../problems.ts';
import { wantedOfNpm } from './npm.ts';

/** Projects with a package.json, whose packages become `node_modules`. */
export const javascript: Ecosystem = {
  registry: 'npm',
  projectsIn,
  versions: 'node -p process.versions.modules; npm --version',
  wantedOf: wantedOfNpm,
  layeredAt: (path) => /^(?:.*?\/)??node_modules(?=\/|$)/.exec(path)?.[0] ?? null,
};

const npmLocks = ['npm-shrinkwrap.json', 'package-lock.json'];
const otherLocks = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];
const manifestNames = new Set(['package.json', '.npmrc']);

type File = FoundProject['locks'][number];

/** The manifests of a project are every package.json and .npmrc below, those of other projects left out. */
function projectsIn(files: readonly File[]): Found {
  const vendored = new Set<string>();
  const named: File[] = [];
  for (const file of files) {
    const [above] = file.path.split(/(?:^|\/)node_modules\//, 1);
    if (above === file.path) named.push(file);
    else vendored.add(above!);
  }
  const byPath = new Map(named.map((file) => [file.path, file]));
  const manifests = named.filter(({ path }) => posix.basename(path) === 'package.json');
  const all = [...new Set(manifests.map(({ path }) => directoryOf(path)))].flatMap((directory): FoundProject[] => {
    const lock = npmLocks.map((name) => byPath.get(posix.join(directory, name))).find((file) => file !== undefined);
    return lock === undefined || vendored.has(directory) ? [] : [{ directory, locks: [lock], manifests: [] }];
  });
  const projects = outermost(all);
  for (const file of named) {
    if (!manifestNames.has(posix.basename(file.path))) continue;
    projects.findLast(({ directory }) => isBelow(file.path, directory))?.manifests.push(file);
  }
  return { projects, problems: projects.length > 0 || vendored.has('') ? [] : withoutLock(byPath) };
}

/** Nothing can be installed: what the root names all the same. */
function withoutLock(byPath: ReadonlyMap<string, File>): Found['problems'] {
  const manifest = byPath.get('package.json');
  if (manifest === undefined || !namesDependencies(manifest)) return [];
  const other = otherLocks.find((name) => byPath.has(name));
  return [
    other === undefined
      ? problem('no_lock', { ...manifest, name: 'package-lock.json' })
      : problem('unsupported_lock', { path: other }),
  ];
}

function namesDependencies({ content }: File): boolean {
  if (content.length > headBytes) return true;
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(content.toString('utf8')) ?? {};
    return [dependencies, devDependencies].some((each) => each !== null && Object.keys(each).length > 0);
  } catch {
    return false;
  }
}
