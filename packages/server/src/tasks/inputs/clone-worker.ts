import { parentPort, workerData } from 'node:worker_threads';
import git from 'isomorphic-git';
import { type ArchiveEntry, encodeArchive } from '../../sandbox/archive.ts';
import { type FetchJob, failureOf, fetchCommit, present } from './fetch-commit.ts';
import type { CloneReason } from './pack.ts';
import { type Packed, type UnbundleJob, unbundle } from './unbundle.ts';

export type CloneJob = FetchJob | UnbundleJob;

export type CloneReply =
  | { ok: true; commit: string; modifiedMs: number; packs: Uint8Array<ArrayBuffer> }
  | { ok: false; reason: CloneReason; cause: string };

async function fromServer(job: FetchJob): Promise<Packed> {
  const { repo, commit, packs } = await fetchCommit(job);
  const { oid, commit: facts } = await present(git.readCommit({ ...repo, oid: commit }));
  return { commit: oid, modifiedMs: facts.committer.timestamp * 1000, packs };
}

async function fetched(job: CloneJob): Promise<{ commit: string; modifiedMs: number; packs: Buffer<ArrayBuffer> }> {
  const { commit, modifiedMs, packs } = 'bundle' in job ? unbundle(job) : await fromServer(job);
  const entries = packs.map(
    (content, nth): ArchiveEntry => ({
      type: 'file',
      path: `${nth}.pack`,
      mode: 0o644,
      modifiedMs: 0,
      content,
    }),
  );
  return { commit, modifiedMs, packs: await encodeArchive(entries) };
}

async function run(job: CloneJob): Promise<void> {
  try {
    const { commit, modifiedMs, packs } = await fetched(job);
    const reply: CloneReply = { ok: true, commit, modifiedMs, packs };
    parentPort!.postMessage(reply, [packs.buffer]);
  } catch (error) {
    parentPort!.postMessage({ ok: false, ...failureOf(error) } satisfies CloneReply);
  }
}

void run(workerData as CloneJob);
