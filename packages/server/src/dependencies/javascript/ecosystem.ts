import { posix } from 'node:path';
import {
  directoryOf,
  type Ecosystem,
  type Found,
  type FoundProject,
  giveManifests,
  headBytes,
  layeredIn,
  outermost,
  without,
} from '../ecosystem.ts';
import { problem } from '../problems.ts';
import { wantedOfNpm } from './npm.ts';
import { toolEnvironment, toolsPath } from './other-tools.ts';
import { wantedOfPnpm } from './pnpm.ts';
import { wantedOfYarn } from './yarn.ts';

/** Projects with a package.json, whose packages become `node_modules`. */
export const javascript: Ecosystem = {
  registry: 'npm',
  projectsIn,
  versions: 'node -p process.versions.modules; npm --version',
  wantedOf(project, around) {
    const { path } = project.locks[0]!;
    if (!/^\d+\.\d+\.\d+/m.test(around.versions)) return without(problem('no_tool', { path, name: 'npm' }));
    return tools[posix.basename(path)]!(project, around);
  },
  layeredAt: (path) => ofTools(path) ?? /^(?:.*?\/)??node_modules(?=\/|$)/.exec(path)?.[0] ?? null,
  needs: (layered) =>
    layered.includes(toolsPath) ? { programs: [`${toolsPath}/bin`], environment: toolEnvironment } : {},
};

const ofTools = layeredIn(toolsPath);

/** By lockfile; of several in one directory the first counts. */
const tools: Record<string, Ecosystem['wantedOf']> = {
  'npm-shrinkwrap.json': wantedOfNpm,
  'package-lock.json': wantedOfNpm,
  'pnpm-lock.yaml': wantedOfPnpm,
  'yarn.lock': wantedOfYarn,
};
const otherLocks = ['bun.lock'];
/** What the tools read beside: settings, what they run themselves, and changes to packages. */
const manifest =
  /(?:^|\/)(?:package\.json|\.npmrc|pnpm-workspace\.yaml|\.pnpmfile\.c?js|\.yarnrc|\.yarnrc\.yml|(?:\.yarn\/)?patches\/[^/]+\.patch|\.yarn\/plugins\/.+\.cjs)$/;

type File = FoundProject['locks'][number];

/** The manifests of a project are those below, those of other projects left out. */
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
    const lock = Object.keys(tools)
      .map((name) => byPath.get(posix.join(directory, name)))
      .find((file) => file !== undefined);
    return lock === undefined || vendored.has(directory) ? [] : [{ directory, locks: [lock], manifests: [] }];
  });
  const projects = outermost(all);
  giveManifests(
    projects,
    named.filter(({ path }) => manifest.test(path)),
  );
  return { projects, problems: projects.length > 0 || vendored.has('') ? [] : withoutLock(byPath) };
}

/** Nothing can be installed: what the root names all the same. */
function withoutLock(byPath: ReadonlyMap<string, File>): Found['problems'] {
  const root = byPath.get('package.json');
  if (root === undefined || !namesDependencies(root)) return [];
  const other = otherLocks.find((name) => byPath.has(name));
  return [
    other === undefined
      ? problem('no_lock', { ...root, name: 'package-lock.json' })
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
