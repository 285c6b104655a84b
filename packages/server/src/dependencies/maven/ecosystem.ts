import { posix } from 'node:path';
import {
  directoryOf,
  type Ecosystem,
  type Found,
  type FoundProject,
  type FoundWanted,
  isBelow,
  layeredIn,
  type ProjectTexts,
  projectsBeside,
  type Surroundings,
  type Wanted,
  without,
} from '../ecosystem.ts';
import { fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import type { Integrity } from '../store.ts';
import { type Coordinates, idOf, type LockedFile, type Need, nameOf, readMavenLocks } from './lock.ts';
import { pathOf, pomOf, pomPathOf } from './poms.ts';
import { type Unnamed, unnamedBy } from './unnamed.ts';

/** Where packages lie as Maven keeps them, relative to the workspace. */
const repositoryPath = '.agora-maven';
const place = `/workspace/${repositoryPath}`;

const lockName = 'lockfile.json';
const manifestName = 'pom.xml';

/** Projects with a lockfile.json of maven-lockfile, whose packages Maven finds by variables. */
export const maven: Ecosystem = {
  registry: 'maven',
  projectsIn,
  versions: `mvn --batch-mode --version | grep -oE '(Apache Maven|Java version:) [^, ]+'`,
  wantedOf,
  layeredAt: layeredIn(repositoryPath),
  needs: (layered) =>
    layered.includes(repositoryPath)
      ? // Only Maven 3.9 and newer read the latter.
        { environment: { MAVEN_OPTS: `-Dmaven.repo.local=${place}`, MAVEN_ARGS: '--offline' } }
      : {},
};

const ofGradle = ['gradle.lockfile', 'build.gradle', 'build.gradle.kts'];

/** The modules of a project have a lock each, and need each other. */
function projectsIn(files: readonly FoundProject['locks'][number][]): Found {
  const { projects, problems } = projectsBeside(files, {
    ...{ lock: lockName, lockOf: `the ${lockName} of maven-lockfile`, manifest: manifestName },
    // Nothing that people commit.
    vendored: /^(?!)/,
    dependency: /<(?:dependency|plugin|parent)>/,
  });
  const paths = new Set(files.map(({ path }) => path));
  const locks = files.filter(
    ({ path }) => posix.basename(path) === lockName && paths.has(posix.join(directoryOf(path), manifestName)),
  );
  const outer = projects.filter(
    ({ directory }) => !projects.some((other) => other.directory !== directory && isBelow(directory, other.directory)),
  );
  const gradle = ofGradle.find((name) => paths.has(name));
  const isOfGradle = projects.length === 0 && gradle !== undefined && !paths.has(manifestName);
  const name = `a ${manifestName} with the ${lockName} of maven-lockfile`;
  return {
    projects: outer.map((project) => ({
      ...project,
      locks: locks.filter(({ path }) => isBelow(path, project.directory)).sort((a, b) => a.path.length - b.path.length),
    })),
    problems: isOfGradle ? [problem('unsupported_lock', { path: gradle, name })] : problems,
  };
}

/** As Maven has named the public registry. */
const publicHosts = ['repo.maven.apache.org', 'repo1.maven.org'];

/** Files of a version that has no end. */
const snapshot = /-SNAPSHOT$|-\d{8}\.\d{6}-\d+$/;

const lay = `mkdir -p ${place} && cp -R /input/maven/. ${place}/ && echo '*' > ${place}/.gitignore`;

async function wantedOf({ locks }: ProjectTexts, around: Surroundings): Promise<FoundWanted> {
  const { path } = locks[0]!;
  if (!/^Apache Maven \d/m.test(around.versions)) return without(problem('no_tool', { path, name: 'mvn' }));
  const lock = readMavenLocks(locks.map(({ text }) => text));
  if (lock === null) return without(problem('unreadable_lock', { path }));
  if (lock.plugins.length === 0) return without(problem('no_plugins', { path }));
  const real = new Set(lock.poms.map(idOf));
  // The tree says what a POM alone would.
  const files = [...lock.files.filter(({ type }) => type !== 'pom'), ...lock.poms];
  const problems = files.flatMap((file) => faultOf(file, path, around) ?? []);
  if (problems.length > 0) return without(...problems);
  const poms = new Map<string, string>();
  for (const file of lock.files) {
    if (!real.has(idOf(file))) poms.set(pomPathOf(file), pomOf(file, lock.needs.get(idOf(file))!));
  }
  const wanted = files.map((file) => wantedFile(file, file.integrity!, path, around));
  const more = new Map<string, { of: Unnamed; integrity: Integrity }>();
  await around.inTurn(unnamedBy(lock), async (of) => {
    if (problems.length > 0 || lock.needs.has(idOf(of))) return;
    const integrity = await askHash(of, path, around);
    if (integrity === null) return;
    if ('reason' in integrity) problems.push(integrity);
    else more.set(idOf(of), { of, integrity });
  });
  for (const { of, integrity } of more.values()) {
    const needs = of.needs.filter((each) => lock.needs.has(idOf(each)) || more.has(idOf(each)));
    poms.set(
      pomPathOf(of),
      pomOf(
        of,
        needs.map((each): Need => ({ ...asJar(each), scope: 'compile' })),
      ),
    );
    wanted.push(wantedFile(asJar(of), integrity, path, around));
  }
  return {
    ...{ problems, wanted },
    inputs: [...poms].map(([at, text]) => fileEntry(`maven/${at}`, text)),
    commands: [{ command: lay, failure: 'install_failed' }],
  };
}

const told = (of: Coordinates) => `${nameOf(of)} ${of.version}`;

const asJar = ({ group, artifact, version }: Coordinates) => ({
  group,
  artifact,
  version,
  classifier: '',
  type: 'jar',
});

type Place = Omit<LockedFile, 'integrity' | 'at'> & { at?: string };

const sourceFor = (file: Place, { sourceOf }: Surroundings) => sourceOf(nameOf(file), file.at || null);

function wantedFile(file: Place, integrity: Integrity, lock: string, around: Surroundings): Wanted {
  const path = pathOf(file);
  const url = `${sourceFor(file, around).url}/${path}`;
  return { name: told(file), lock, url, integrity, place: `maven/${path}`, isOptional: false };
}

/** Why a file cannot be fetched, as far as its lock tells. */
function faultOf(file: LockedFile, path: string, around: Surroundings): DependencyProblem | null {
  const about = { path, name: told(file) };
  const { at, integrity, version } = file;
  const host = URL.canParse(at) ? new URL(at).host : '';
  if (snapshot.test(version) || (host === '' && integrity === null)) return problem('not_from_registry', about);
  const ours = [...publicHosts, new URL(around.registry).host, ''];
  // Anybody can give a package of the public registry the same name.
  if (!sourceFor(file, around).isPrivate && !ours.includes(host)) {
    return problem('unknown_registry', { ...about, from: host });
  }
  return integrity === null ? problem('no_integrity', about) : null;
}

/** Of what no lock has, the registry is believed; null where it has none. */
async function askHash(
  of: Coordinates,
  path: string,
  around: Surroundings,
): Promise<Integrity | DependencyProblem | null> {
  const { url, isPrivate } = sourceFor(asJar(of), around);
  // Its buyer could give the gate another one than the agent.
  if (isPrivate) return problem('no_integrity', { path, name: told(of) });
  const page = await around.ask(`${url}/${pathOf(asJar(of))}.sha1`, 'text/plain');
  const [, hex] = /^\s*([0-9a-f]{40})\b/i.exec(page?.text ?? '') ?? [];
  return hex === undefined ? null : { algorithm: 'sha1', hex: hex.toLowerCase() };
}
