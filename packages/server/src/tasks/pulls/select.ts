import { posix } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { ArchiveEntry } from '../../sandbox/archive.ts';
import { isForbidden } from '../inputs/forbidden-names.ts';
import { type Change, modeOf } from '../workspace/diff/changes.ts';

/** Which of the changes of a workspace become a commit: pure rules, without I/O. */

/** Of one pull request. A file counts with its bytes as they are. */
export const pullLimits = { files: 1_000, bytes: 8 * 1024 ** 2, binaryFiles: 50 } as const;

export interface Selected {
  files: ArchiveEntry[];
  /** Paths of the repository that are gone. */
  deleted: string[];
  leftOut: {
    /** That lead out of the repository. */
    links: number;
    workflows: number;
  };
}

/** GitHub runs some of them as soon as their branch is made, with the repository's secrets. */
const workflows = '.github/workflows/';
/** Artifacts: no part of the repository unless it has such files itself. */
const artifacts = 'output/';

const leadsOut = ({ path, content }: ArchiveEntry): boolean => {
  const target = content.toString('utf8');
  return posix.isAbsolute(target) || /^\.\.(\/|$)/.test(posix.join(posix.dirname(path), target));
};

/**
 * `tree` has the paths of the commit, and `rules` the workspace's .gitignore files by their directory ('' or ending in /).
 * As with Git, what the repository has is compared, and what is new counts unless it is ignored.
 */
export function select(
  changes: readonly Change[],
  tree: ReadonlySet<string>,
  rules: ReadonlyMap<string, string>,
): Selected {
  const isIgnored = ignoredBy(rules);
  const selected: Selected = { files: [], deleted: [], leftOut: { links: 0, workflows: 0 } };
  for (const { path, change, after } of changes) {
    if (path.split('/').some(isForbidden)) continue;
    if (path.startsWith(workflows)) {
      selected.leftOut.workflows += 1;
      continue;
    }
    if (change === 'deleted' || after === undefined) {
      if (tree.has(path)) selected.deleted.push(path);
      continue;
    }
    const { content } = after;
    if (after.type === 'directory' || content === undefined) continue;
    if (!tree.has(path) && change === 'added' && (path.startsWith(artifacts) || isIgnored(path))) continue;
    const file = { ...after, content, mode: modeOf(after) === '100755' ? 0o755 : 0o644 };
    if (file.type === 'symlink' && leadsOut(file)) selected.leftOut.links += 1;
    else selected.files.push(file);
  }
  // What changed its kind is listed as deleted and as added.
  const there = new Set(selected.files.map(({ path }) => path));
  selected.deleted = selected.deleted.filter((path) => !there.has(path));
  return selected;
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
