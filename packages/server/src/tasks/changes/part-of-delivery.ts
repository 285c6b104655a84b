import { posix } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { isForbidden } from '../inputs/forbidden-names.ts';
import type { Change } from '../workspace/diff/changes.ts';

/** Which changes of a workspace are the work: pure rules, without I/O. */

/** Artifacts: no part of the work unless the buyer has such files itself. */
const artifacts = 'output/';

/**
 * Whether a link may lead out of the tree that it lies in. Where its target goes up after a name, that name may be a link
 * too, and what it goes up from be anywhere.
 */
export function leadsOut({ type, path, content }: NonNullable<Change['after']>): boolean {
  if (type !== 'symlink' || content === undefined) return false;
  const target = content.toString('utf8');
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const firstName = parts.findIndex((part) => part !== '..');
  if (firstName >= 0 && parts.indexOf('..', firstName) > 0) return true;
  return posix.isAbsolute(target) || /^\.\.(\/|$)/.test(posix.join(posix.dirname(path), target));
}

/** Git refuses a whole patch for one such name; on Windows a backslash parts names too. */
const isRefused = ({ path, after }: Change) =>
  path.split(/[\\/]/).some(isForbidden) ||
  (after?.type === 'symlink' && /^(\.gitmodules|gitmod~\d)$/i.test(posix.basename(path)));

/**
 * The changes against a tree whose paths are `known`. As with Git, known files count, and new ones unless they are
 * ignored. `rules`: .gitignore files by their directory ('' or ending in /).
 */
export function partOfDelivery(
  changes: readonly Change[],
  known: Pick<ReadonlySet<string>, 'has'>,
  rules: ReadonlyMap<string, string>,
): Change[] {
  const isIgnored = ignoredBy(rules);
  return changes.filter((each) => {
    const { path, change, after } = each;
    if (isRefused(each)) return false;
    if (change === 'deleted' || after === undefined) return known.has(path);
    if (after.type === 'directory' || after.content === undefined) return false;
    return known.has(path) || change !== 'added' || !(path.startsWith(artifacts) || isIgnored(path));
  });
}

/** Nothing below an ignored directory is taken in again; otherwise the last rule that matches decides. */
function ignoredBy(rules: ReadonlyMap<string, string>): (path: string) => boolean {
  const matchers = new Map<string, Ignore>();
  for (const [directory, text] of rules) matchers.set(directory, ignore({ ignorecase: false }).add(text));
  const known = new Map<string, boolean>();
  const isOut = (path: string): boolean => {
    const parent = `${posix.dirname(path.replace(/\/$/, ''))}/`;
    if (parent !== './' && isDirectoryOut(parent)) return true;
    let isIgnored = false;
    for (let at = 0; ; at = path.indexOf('/', at) + 1) {
      const directory = path.slice(0, at);
      const found = matchers.get(directory)?.test(path.slice(at));
      if (found?.ignored) isIgnored = true;
      if (found?.unignored) isIgnored = false;
      const next = path.indexOf('/', at);
      if (next < 0 || next === path.length - 1) return isIgnored;
    }
  };
  const isDirectoryOut = (directory: string): boolean => {
    const before = known.get(directory);
    if (before !== undefined) return before;
    const found = isOut(directory);
    known.set(directory, found);
    return found;
  };
  return isOut;
}
