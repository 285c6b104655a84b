import { parentPort, workerData } from 'node:worker_threads';
import { formatPatch, structuredPatch } from 'diff';

/** Compares texts, one after the other, and tells of each as soon as it is done. */

export interface TextPair {
  index: number;
  path: string;
  /** Null: it is not there. */
  before: { text: string; mode: string } | null;
  after: { text: string; mode: string } | null;
}

export interface DiffReply {
  index: number;
  /** Null where it would have taken too long. */
  unified: string | null;
}

const fileMs = 1_000;
const maxEdits = 10_000;

/** In Git's form, with which a name may hold anything, and a change of mode is told. */
function compare({ path, before, after }: TextPair): string | null {
  const names = [before ? `a/${path}` : '/dev/null', after ? `b/${path}` : '/dev/null'] as const;
  const bounds = { context: 3, timeout: fileMs, maxEditLength: maxEdits };
  const patch = structuredPatch(...names, before?.text ?? '', after?.text ?? '', undefined, undefined, bounds);
  if (!patch) return null;
  const modes = before?.mode === after?.mode ? {} : { oldMode: before?.mode, newMode: after?.mode };
  return formatPatch({ ...patch, ...modes, isGit: true, isCreate: before === null, isDelete: after === null });
}

for (const pair of workerData as TextPair[]) {
  parentPort?.postMessage({ index: pair.index, unified: compare(pair) } satisfies DiffReply);
}
