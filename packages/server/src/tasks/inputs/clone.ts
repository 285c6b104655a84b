import type { CloneJob, CloneReply } from './clone-worker.ts';
import { replyOf } from './git-thread.ts';
import type { Fetched } from './layout.ts';
import { CloneRefused } from './pack.ts';

/** Fetches a commit, or reads it from a bundle, in a worker thread. */
export async function clone(job: CloneJob, timeoutMs: number, signal: AbortSignal): Promise<Fetched> {
  const asked = { caller: import.meta.url, script: './clone-worker', job };
  const reply = await replyOf<CloneReply>(asked, timeoutMs, signal);
  if (!reply.ok) throw new CloneRefused(reply.reason, { cause: new Error(reply.cause) });
  return { ...reply, packs: Buffer.from(reply.packs.buffer) };
}
