import { type DependencyProblem, problem } from '../problems.ts';
import type { Source } from '../sources.ts';
import type { Integrity } from '../store.ts';

/** Hosts whose packages every registry of npm has under the same names. */
const publicHosts = ['registry.npmjs.org', 'registry.yarnpkg.com'];

/** A package as its lock names it. */
export interface LockedPackage {
  name: string;
  version: string;
  /** Where the lock found it; null where it does not say. */
  url: string | null;
  /** The strongest of its hashes; null where it has none. */
  integrity: Integrity | null;
  /** The tool goes on without it. */
  isOptional: boolean;
}

/** Where a package lies in a registry. */
export const tarballPath = (name: string, version: string) => `${name}/-/${name.split('/').pop()}-${version}.tgz`;

/** In a registry of the owner's own it lies where the lock says; in others, packages of all hosts lie alike. */
export function tarballOf(
  { url: registry, isPrivate }: Source,
  { name, version, url }: Pick<LockedPackage, 'name' | 'version' | 'url'>,
): string {
  const isThere = isPrivate && url !== null && new URL(url).origin === new URL(registry).origin;
  return isThere ? url : `${registry}/${tarballPath(name, version)}`;
}

/** What becomes part of an address. */
const namePattern = /^(?:@[\w.~-]{1,100}\/)?[\w~-][\w.~-]{0,200}$/;
const versionPattern = /^[\w.+-]{1,200}$/;

/** Why a package cannot be fetched, as far as its lock tells. */
export function faultOf(
  { name, version, url, integrity }: LockedPackage,
  path: string,
  source: Source,
): DependencyProblem | null {
  const about = { path, name: `${name} ${version}` };
  if (!namePattern.test(name) || !versionPattern.test(version)) return problem('not_from_registry', about);
  const place = url !== null && URL.canParse(url) ? new URL(url) : null;
  if (url !== null && !['http:', 'https:'].includes(place?.protocol ?? '')) return problem('not_from_registry', about);
  const isKnown = place === null || [...publicHosts, new URL(source.url).host].includes(place.host);
  if (!isKnown) {
    return problem('unknown_registry', { ...about, from: place.host });
  }
  return integrity === null ? problem('no_integrity', about) : null;
}
