import { posix } from 'node:path';
import {
  type FoundWanted,
  type InstallCommand,
  type ProjectTexts,
  type Surroundings,
  type TextFile,
  type Wanted,
  without,
} from '../ecosystem.ts';
import { type ArchiveEntry, fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import { contentPath } from '../store.ts';
import { type NpmLock, readNpmLock } from './npm-lock.ts';
import { faultOf, tarballOf } from './registry.ts';
import { withoutRegistries } from './tool-settings.ts';

const quiet = '--offline --no-audit --no-fund --no-update-notifier --loglevel=error --logs-max=0 --cache=/input/npm';

/** What a lockfile of npm names, and the files that `npm ci` reads. */
export function wantedOfNpm(
  { directory, locks: [lock] }: ProjectTexts,
  { sourceOf, projects, runsScripts }: Surroundings,
): FoundWanted {
  const { path, text } = lock!;
  const addressOf = (name: string, version: string) => tarballOf(sourceOf(name), { name, version, url: null });
  const problems: DependencyProblem[] = [];
  const wanted: Wanted[] = [];
  const read = readNpmLock(text, addressOf);
  if (read === null) return without(problem('unreadable_lock', { path }));
  let hasScripts = false;
  for (const locked of read.packages) {
    const { name, version, integrity, isOptional } = locked;
    const source = sourceOf(name, locked.url);
    const fault = faultOf(locked, path, source);
    if (fault !== null && !isOptional) problems.push(fault);
    if (fault !== null || integrity === null) continue;
    hasScripts ||= locked.hasScripts;
    const place = posix.join('npm/_cacache', contentPath(integrity));
    const url = tarballOf(source, locked);
    wanted.push({ name: `${name} ${version}`, lock: path, url, integrity, place, isOptional });
  }
  const commands: InstallCommand[] = [{ command: `npm ci --ignore-scripts ${quiet}`, failure: 'install_failed' }];
  // Without its own list of what it has installed, npm finds the programs in the packages themselves.
  const links = `rm -f node_modules/.package-lock.json && npm rebuild --ignore-scripts ${quiet}`;
  if (read.isOld) commands.push({ command: links, failure: 'install_failed' });
  if (hasScripts && runsScripts) commands.push({ command: `npm rebuild ${quiet}`, failure: 'scripts_failed' });
  return {
    ...{ problems, wanted, commands },
    made: [posix.join(directory, 'node_modules')],
    own: read.directories.map((each) => posix.join(directory, each)),
    // A package of the project's own may have a lock too, which nobody reads.
    manifests: [
      fileEntry(path, read.text),
      ...ownManifests(
        directory,
        read,
        projects.flatMap((each) => each.manifests),
      ),
    ],
  };
}

/** The package.json of each package of the project's own, and its settings. */
function ownManifests(directory: string, { directories }: NpmLock, all: readonly TextFile[]): ArchiveEntry[] {
  const own = new Set(directories.map((each) => posix.join(directory, each, 'package.json')));
  const settings = posix.join(directory, '.npmrc');
  const read = all.filter(({ path }) => own.has(path) || path === settings);
  return read.map((each) => fileEntry(each.path, withoutRegistries(each)));
}
