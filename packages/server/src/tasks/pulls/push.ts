import type { Config } from '../../platform/index.ts';
import { replyOf } from '../inputs/git-thread.ts';
import type { CloneReason } from '../inputs/pack.ts';
import type { PushJob, PushReply } from './push-worker.ts';
import type { Selected } from './select.ts';

export interface NewBranch {
  url: string;
  token: string;
  /** The commit on top of which the changes come. */
  commit: string;
  branch: string;
  message: string;
  author: PushJob['author'];
  changes: Selected;
}

/** What came of a push: the commit, with the server's words where it refused that, or why it failed. */
export type PushEnd = { commit: string; refused: string | null } | { failed: CloneReason };

type Settings = Pick<
  Config,
  | 'OUTBOUND_ALLOW_LOOPBACK'
  | 'FORGE_TRUSTED_HOSTS'
  | 'REPOSITORY_MAX_BYTES'
  | 'REPOSITORY_MAX_FILES'
  | 'REPOSITORY_TIMEOUT_MS'
>;

/** Makes a branch with one commit in a repository, by a push from a worker thread. One of the name stays as it is. */
export async function pushBranch(config: Settings, wanted: NewBranch, signal: AbortSignal): Promise<PushEnd> {
  const { url, token, commit, branch, message, author, changes } = wanted;
  const job: PushJob = {
    ...{ url, token, ref: commit, branch, message, author, deleted: changes.deleted },
    files: changes.files.map(({ path, type, mode, content }) => ({ path, mode: gitModeOf({ type, mode }), content })),
    allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK,
    trustedHosts: config.FORGE_TRUSTED_HOSTS,
    maxBytes: config.REPOSITORY_MAX_BYTES,
    maxFiles: config.REPOSITORY_MAX_FILES,
  };
  const asked = { caller: import.meta.url, script: './push-worker', job };
  const reply = await replyOf<PushReply>(asked, config.REPOSITORY_TIMEOUT_MS, signal);
  if (!reply.ok) return { failed: reply.reason };
  const isTaken = /unpack ok\n[0-9a-f]{4}ok /.test(reply.said);
  return { commit: reply.commit, refused: isTaken ? null : reasonIn(reply.said) };
}

/** Of a report as "000eunpack ok" and "0030ng refs/heads/name reason". */
const reasonIn = (said: string): string =>
  /ng \S+ (.*)/.exec(said)?.[1] ?? /unpack (.*)/.exec(said)?.[1] ?? 'the push was refused';

/** The mode of a changed file in Git's words. */
export const gitModeOf = ({ type, mode }: Pick<Selected['files'][number], 'type' | 'mode'>): string =>
  type === 'symlink' ? '120000' : mode & 0o100 ? '100755' : '100644';
