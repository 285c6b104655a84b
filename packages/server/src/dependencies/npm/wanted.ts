import { posix } from 'node:path';
import { type ArchiveEntry, fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import { contentPath } from '../store.ts';
import type { ProjectTexts, TextFile, Wanted } from '../wanted.ts';
import { type LockedPackage, type NpmLock, readNpmLock } from './lock.ts';

/** Hosts whose packages every registry of npm has under the same names. */
const publicHosts = ['registry.npmjs.org', 'registry.yarnpkg.com'];

/** What a lockfile of npm names, and the files that `npm ci` reads. */
export function wantedOfNpm({ directory, locks, manifests }: ProjectTexts, registry: string) {
  const addressOf = (name: string, version: string) => `${registry}/${name}/-/${name.split('/').pop()}-${version}.tgz`;
  const [{ path, text }] = locks as [TextFile];
  const problems: DependencyProblem[] = [];
  const wanted: Wanted[] = [];
  const read = readNpmLock(text, addressOf);
  if (read === null) {
    problems.push(problem('unreadable_lock', { path }));
    return { wanted, problems, manifests: [], hasScripts: false, own: [] };
  }
  let hasScripts = false;
  for (const locked of read.packages) {
    const { name, version, integrity, isOptional } = locked;
    const fault = faultOf(locked, path, registry);
    if (fault !== null && !isOptional) problems.push(fault);
    if (fault !== null || integrity === null) continue;
    hasScripts ||= locked.hasScripts;
    const place = posix.join('npm/_cacache', contentPath(integrity));
    wanted.push({
      name: `${name} ${version}`,
      lock: path,
      url: addressOf(name, version),
      integrity,
      place,
      isOptional,
    });
  }
  const own = read.directories.map((each) => posix.join(directory, each));
  const files = [fileEntry(path, read.text), ...ownManifests(directory, read, manifests)];
  return { wanted, problems, manifests: files, hasScripts, own };
}

/** The package.json of each package of the project's own, and its settings. */
function ownManifests(directory: string, { directories }: NpmLock, all: readonly TextFile[]): ArchiveEntry[] {
  const own = new Set(directories.map((each) => posix.join(directory, each, 'package.json')));
  const settings = posix.join(directory, '.npmrc');
  return all.filter(({ path }) => own.has(path) || path === settings).map(({ path, text }) => fileEntry(path, text));
}

/** What becomes part of an address. */
const namePattern = /^(?:@[\w.~-]{1,100}\/)?[\w~-][\w.~-]{0,200}$/;
const versionPattern = /^[\w.+-]{1,200}$/;

/** Why a package cannot be fetched, as far as its lock tells. */
function faultOf({ name, version, url, integrity }: LockedPackage, path: string, registry: string) {
  const about = { path, name: `${name} ${version}` };
  if (!namePattern.test(name) || !versionPattern.test(version)) return problem('not_from_registry', about);
  const place = url !== null && URL.canParse(url) ? new URL(url) : null;
  if (url !== null && !['http:', 'https:'].includes(place?.protocol ?? '')) return problem('not_from_registry', about);
  if (place !== null && !publicHosts.includes(place.host) && place.host !== new URL(registry).host) {
    return problem('unknown_registry', { ...about, from: place.host });
  }
  return integrity === null ? problem('no_integrity', about) : null;
}
