import type { DuePull, PullChanges } from '../../tasks/index.ts';
import { ForgeRefusal } from '../api.ts';
import type { RepositoryAt } from '../forge.ts';
import { messageOf } from './text.ts';

export interface Publication {
  due: Pick<DuePull, 'wanted' | 'createdAt'>;
  changes: PullChanges;
  branch: string;
  title: string;
  body: string;
  /** Keeps the id of the commit, before anything else is done with it. */
  keepCommit(commit: string): Promise<unknown>;
}

/**
 * Opens the pull request and gives its URL; where it was opened before, only that. After a crash at any point it can run
 * again: the branch has one name, and both branch and pull request are looked for before they are made.
 */
export async function publish(at: RepositoryAt, publication: Publication): Promise<string> {
  const { due, changes, branch, title, body } = publication;
  const { wanted, createdAt } = due;
  const base = wanted.base ?? (await branchNamed(at, wanted.ref)) ?? (await at.defaultBranch());
  const existing = await at.pullOf(branch, base);
  if (existing !== null) return existing;
  const message = messageOf(title, branch, wanted);
  const made = await at.makeBranch({ name: branch, commit: wanted.commit, message, at: new Date(createdAt), changes });
  if (made !== null) await publication.keepCommit(made);
  try {
    return await at.openPull({ branch, base, title, body, isDraft: wanted.draft, runChecks: wanted.runChecks });
  } catch (error) {
    // Another try was faster.
    const isRefused = error instanceof ForgeRefusal && [409, 422].includes(error.answered);
    const other = isRefused ? await at.pullOf(branch, base) : null;
    if (other === null) throw error;
    return other;
  }
}

/** What was cloned may have been a tag or a commit: nothing can be merged into these. */
async function branchNamed(at: RepositoryAt, ref: string | null): Promise<string | null> {
  const name = ref?.replace(/^refs\/heads\//, '') ?? null;
  if (name === null || name.startsWith('refs/')) return null;
  return (await at.commitOf(name)) && name;
}
