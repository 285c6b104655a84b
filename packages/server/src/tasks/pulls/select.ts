import type { ArchiveEntry } from '../../sandbox/archive.ts';
import { leadsOut, partOfDelivery } from '../changes/part-of-delivery.ts';
import { type BaseTree, createCleaners } from '../inputs/clean.ts';
import { type Change, isBelow, modeOf } from '../workspace/diff/changes.ts';

/** Which of the changes of a workspace become a commit, with the blobs that Git would make of them: pure rules, without I/O. */

/** Of one pull request. A file counts with the bytes of its blob. */
export const pullLimits = { files: 1_000, bytes: 8 * 1024 ** 2, binaryFiles: 50 } as const;

/** Changes that the pull request does not have, and says so. */
export const noneLeftOut = {
  /** That lead out of the repository. */
  links: 0,
  workflows: 0,
  /** In submodules, which are repositories of their own. */
  submodules: 0,
  /** Of Git LFS: their contents lie with a server of its own, and blobs are pointers. */
  largeFiles: 0,
  /** That are not in the encoding which their attributes name. */
  encodings: 0,
};

export interface Selected {
  files: ArchiveEntry[];
  /** Paths of the repository that are gone. */
  deleted: string[];
  leftOut: typeof noneLeftOut;
}

/** Forges run some of them as soon as their branch is made, with the repository's secrets. */
const workflows =
  /^(?:\.(?:github|gitea|forgejo)\/workflows\/|\.woodpecker\/|\.(?:gitlab-ci|drone)\.yml$|\.woodpecker\.ya?ml$)/;

/** The files of a tree by their directory ('' or ending in /) that say what to ignore, and how blobs are converted. */
export interface Rules {
  ignores: ReadonlyMap<string, string>;
  attributes: ReadonlyMap<string, Buffer>;
}

/** `base` is the tree of the commit; which rules hold, the delivered one says, as for `git add`. */
export function select(changes: readonly Change[], base: BaseTree, { ignores, attributes }: Rules): Selected {
  const selected: Selected = { files: [], deleted: [], leftOut: { ...noneLeftOut } };
  const { before: was, after: is } = createCleaners(base, attributes);
  const submodules = new Set(base.facts.submodules);
  const largeFiles = new Set(base.facts.largeFiles);
  /** What else than its content speaks against a change. */
  const reasonAgainst = ({ path, after }: Change): keyof typeof noneLeftOut | null => {
    if (submodules.has(path) || isBelow(path, submodules)) return 'submodules';
    if (workflows.test(path)) return 'workflows';
    if (after?.content === undefined) return null;
    if (leadsOut(after)) return 'links';
    return after.type === 'file' && (largeFiles.has(path) || is.isLarge(path)) ? 'largeFiles' : null;
  };
  /** Paths that the commit has afterwards, whatever becomes of them. */
  const there = new Set<string>();
  for (const change of partOfDelivery(changes, base.entries, ignores)) {
    const { path, before, after } = change;
    const reason = reasonAgainst(change);
    if (after !== undefined) there.add(path);
    if (reason !== null) selected.leftOut[reason] += 1;
    else if (after?.content === undefined) selected.deleted.push(path);
    else {
      const content = after.type === 'file' ? is.blobOf(path, after.content) : after.content;
      const isOfKind = before?.type === 'file' && after.type === 'file' && modeOf(before) === modeOf(after);
      if (content === null) selected.leftOut.encodings += 1;
      // Git sees no change where ends of lines alone differ, or what stands in `$Id$`.
      else if (!(isOfKind && was.blobOf(path, before.content)?.equals(content)))
        selected.files.push({ ...after, content, mode: modeOf(after) === '100755' ? 0o755 : 0o644 });
    }
  }
  // What changed its kind is listed as deleted and as added.
  selected.deleted = selected.deleted.filter((path) => !there.has(path));
  return selected;
}
