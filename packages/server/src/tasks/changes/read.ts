import type { ChangedFile, Operations, ReplyOf } from '@agora-market/contract';
import { z } from 'zod';
import { wholeOf } from '../../objects/index.ts';
import { ApiError, type Call, decodeCursor, ensure, pageOf } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import { fromStore, permitWork, sendContent } from '../artifacts/read.ts';
import { findChange } from '../artifacts/sql.ts';
import type { TaskDeps } from '../deps.ts';
import type { ChangeSummary } from './compare-worker.ts';

/** The rows of a delivery's list and of its patch. */
async function changeOf(deps: TaskDeps, call: Call<Operations['tasks.changes'] | Operations['tasks.patch']>) {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitWork(task, role);
  const [list, patch] = await findChange(deps.pool, task.id, call.now);
  ensure(list && patch, 'CHANGES_NOT_FOUND');
  return { list, patch };
}

/** Up to `count` of the files after the first `skipped`. Only these are parsed: an agent may have changed thousands. */
function linesOf(stored: Buffer, skipped: number, count: number): { summary: ChangeSummary; files: ChangedFile[] } {
  const files: ChangedFile[] = [];
  let summary: ChangeSummary | null = null;
  for (let at = 0, nth = -1; at < stored.length && files.length < count; nth += 1) {
    const end = stored.indexOf('\n', at);
    const line = () => JSON.parse(stored.toString('utf8', at, end < 0 ? undefined : end));
    if (nth < 0) summary = line();
    else if (nth >= skipped) files.push(line());
    at = end < 0 ? stored.length : end + 1;
  }
  return { summary: summary as ChangeSummary, files };
}

/** The files that a delivery changes, and how large its patch is. */
export async function listChanges(
  deps: TaskDeps,
  call: Call<Operations['tasks.changes']>,
): Promise<ReplyOf<Operations['tasks.changes']>> {
  const { list, patch } = await changeOf(deps, call);
  ensure(list.dropped === null, 'CHANGES_NOT_FOUND');
  const { pageSize, cursor } = call.query;
  const skipped = decodeCursor(cursor, z.int().min(0).max(10_000_000)) ?? 0;
  const { sizeBytes, sha256, dropped } = patch;
  const answer = async (content: Parameters<typeof wholeOf>[0]) => {
    const { summary, files } = linesOf(await wholeOf(content), skipped, pageSize + 1);
    const numbered = files.map((file, nth) => ({ file, next: skipped + nth + 1 }));
    return {
      ...pageOf(
        numbered,
        pageSize,
        ({ next }) => next,
        ({ file }) => file,
      ),
      ...summary,
      patch: { sizeBytes, sha256, dropped },
      expiresAt: list.expiresAt,
    };
  };
  return fromStore(deps, call as unknown as Call, list, answer, 'CHANGES_NOT_FOUND');
}

/** The longest patch that is read into a reply, in bytes. */
const maxPatchText = 1_000_000;

/** Answers with the patch of a delivery: here, or at the server that has it on its disk. Null if there is none. */
export async function withPatch<T>(
  deps: TaskDeps,
  call: Call,
  taskId: string,
  answer: (patch: { sizeBytes: number; text: string | null } | null) => Promise<T>,
): Promise<T> {
  const [, patch] = await findChange(deps.pool, taskId, call.now);
  if (!patch) return answer(null);
  const { sizeBytes } = patch;
  if (patch.dropped !== null || sizeBytes > maxPatchText) return answer({ sizeBytes, text: null });
  const read = async (content: Parameters<typeof wholeOf>[0]) =>
    answer({ sizeBytes, text: (await wholeOf(content)).toString('utf8') });
  return fromStore(deps, call, patch, read, 'CHANGES_NOT_FOUND').catch((error) => {
    // Lost, or on the disk of a server that cannot be reached now.
    if (error instanceof ApiError && ['CHANGES_NOT_FOUND', 'NOT_READY'].includes(error.code))
      return answer({ sizeBytes, text: null });
    throw error;
  });
}

/** Streams the patch. */
export async function downloadPatch(deps: TaskDeps, call: Call<Operations['tasks.patch']>): Promise<void> {
  const { patch } = await changeOf(deps, call);
  ensure(patch.dropped === null, 'CHANGES_NOT_FOUND', 'The patch was not kept.', { dropped: patch.dropped });
  const raw = call as unknown as Call;
  await fromStore(deps, raw, patch, async (content) => sendContent(raw, patch, content), 'CHANGES_NOT_FOUND');
}
