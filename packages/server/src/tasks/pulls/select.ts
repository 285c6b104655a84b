import type { ArchiveEntry } from '../../sandbox/archive.ts';
import { leadsOut, partOfDelivery } from '../changes/part-of-delivery.ts';
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

/** Forges run some of them as soon as their branch is made, with the repository's secrets. */
const workflows =
  /^(?:\.(?:github|gitea|forgejo)\/workflows\/|\.woodpecker\/|\.(?:gitlab-ci|drone)\.yml$|\.woodpecker\.ya?ml$)/;
/** `tree` has the paths of the commit, and `rules` the workspace's .gitignore files, as `partOfDelivery` takes them. */
export function select(
  changes: readonly Change[],
  tree: ReadonlySet<string>,
  rules: ReadonlyMap<string, string>,
): Selected {
  const selected: Selected = { files: [], deleted: [], leftOut: { links: 0, workflows: 0 } };
  for (const { path, after } of partOfDelivery(changes, tree, rules)) {
    if (workflows.test(path)) selected.leftOut.workflows += 1;
    else if (after?.content === undefined) selected.deleted.push(path);
    else if (leadsOut(after)) selected.leftOut.links += 1;
    else selected.files.push({ ...after, content: after.content, mode: modeOf(after) === '100755' ? 0o755 : 0o644 });
  }
  // What changed its kind is listed as deleted and as added.
  const there = new Set(selected.files.map(({ path }) => path));
  selected.deleted = selected.deleted.filter((path) => !there.has(path));
  return selected;
}
