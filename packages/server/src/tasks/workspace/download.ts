import { type FileHandle, open } from 'node:fs/promises';
import type { Operations } from '@agora/contract';
import { type Pack, pack } from 'tar-stream';
import { type Call, ensure, nullWhereMissing, row } from '../../platform/index.ts';
import { type ArchiveHead, headAt, headBytes } from '../../sandbox/index.ts';
import { partyTask } from '../access.ts';
import { askElsewhere, permitWork } from '../artifacts/read.ts';
import { leadsOut } from '../changes/part-of-delivery.ts';
import type { TaskDeps } from '../deps.ts';
import { isForbidden } from '../inputs/forbidden-names.ts';

/** A delivered workspace as a tar archive, read from disk as it is sent. */

const chunkBytes = 256 * 1024;
/** With the longest path that an entry can have. */
const longestHead = headBytes + 0xffff;

const storeOf = async (deps: TaskDeps, taskId: string): Promise<string | null> =>
  (
    await row<{ store: string }>(deps.pool, 'deliveries_store', 'select store from deliveries where task_id = $1', [
      taskId,
    ])
  )?.store ?? null;

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Links that lead out, and data of Git, are left out: whoever unpacks it must get files of the work alone. */
const isOut = (head: ArchiveHead, content: Buffer | undefined) =>
  isForbidden(head.path.split('/', 1)[0]!) || leadsOut({ ...head, content });

/** Adds one entry after the other, as fast as the reader takes them. */
async function fill(tar: Pack, file: FileHandle): Promise<void> {
  for (let at = 0; ; ) {
    const head = headAt(await readAt(file, at, longestHead));
    if (head === null) break;
    const { type, path, mode, modifiedMs, bytes, sizeBytes } = head;
    const begin = at + bytes;
    at = begin + sizeBytes;
    const target = type === 'symlink' ? await readAt(file, begin, sizeBytes) : undefined;
    if (isOut(head, target)) continue;
    const header = { name: path, type, mode, mtime: new Date(modifiedMs) };
    if (type !== 'file') {
      tar.entry({ ...header, ...(target && { linkname: target.toString('utf8') }) }).end();
      continue;
    }
    const entry = tar.entry({ ...header, size: sizeBytes });
    for (let from = begin; from < at; from += chunkBytes) {
      const chunk = await readAt(file, from, Math.min(chunkBytes, at - from));
      if (!entry.write(chunk)) await new Promise((resolve) => entry.once('drain', resolve));
    }
    entry.end();
  }
  tar.finalize();
}

export async function downloadWorkspace(deps: TaskDeps, call: Call<Operations['tasks.workspace']>): Promise<void> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitWork(task, role);
  const store = await storeOf(deps, task.id);
  const raw = call as unknown as Call;
  if (store !== null && store !== deps.hosts.store)
    return void (await askElsewhere(deps, raw, store, 'CHANGES_NOT_FOUND'));
  const file = store === null ? null : await open(deps.archives.pathOf(task.id)).catch(nullWhereMissing);
  const why = 'The delivered workspace is not kept any more, or there was none. Apply the patch to your files instead.';
  ensure(file, 'CHANGES_NOT_FOUND', why);
  const tar = pack();
  tar.once('close', () => void file.close());
  void fill(tar, file).catch((error) => tar.destroy(error));
  await raw.raw
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${call.params.taskId}.tar"`)
    .header('x-content-type-options', 'nosniff')
    .send(tar);
}
