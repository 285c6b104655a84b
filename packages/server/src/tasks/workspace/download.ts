import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Operations } from '@agora-market/contract';
import { type Headers, pack } from 'tar-stream';
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
/** Entries before others have a turn: many small ones come from one read, and take no other. */
const entriesAtOnce = 16;

const storeOf = async ({ pool }: TaskDeps, taskId: string): Promise<string | null> =>
  (await row<{ store: string }>(pool, 'deliveries_store', 'select store from deliveries where task_id = $1', [taskId]))
    ?.store ?? null;

/** Reads a file from its beginning on, so that many small entries take few calls. */
function reader(file: FileHandle) {
  let held: Buffer = Buffer.alloc(0);
  let heldAt = 0;
  /** So many bytes from a position on, or what the file has of them. */
  return async (position: number, length: number): Promise<Buffer> => {
    if (position < heldAt || position + length > heldAt + held.length) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(length, chunkBytes)), 0, null, position);
      held = buffer.subarray(0, bytesRead);
      heldAt = position;
    }
    return held.subarray(position - heldAt, position - heldAt + length);
  };
}

/** Links that lead out, and data of Git, are left out: whoever unpacks it must get files of the work alone. */
const isOut = (head: ArchiveHead, content: Buffer | undefined) =>
  head.path.split(/[\\/]/).some(isForbidden) || leadsOut({ ...head, content });

/** What stands before the content of an entry. */
async function* headOf(header: Headers): AsyncGenerator<Buffer> {
  const tar = pack();
  const written = once(tar, 'readable');
  // Its content is never written here, for a pack does not wait for its reader.
  tar.entry(header).once('error', () => undefined);
  await written;
  for (let chunk = tar.read(); chunk !== null; chunk = tar.read()) yield chunk;
  tar.destroy();
}

/** Gives no more than is taken. */
async function* tarOf(file: FileHandle): AsyncGenerator<Buffer> {
  try {
    const read = reader(file);
    for (let at = 0, nth = 1; ; nth += 1) {
      if (nth % entriesAtOnce === 0) await turn();
      const head = headAt(await read(at, longestHead));
      if (head === null) break;
      const { type, path, mode, modifiedMs, bytes, sizeBytes } = head;
      const begin = at + bytes;
      at = begin + sizeBytes;
      const target = type === 'symlink' ? await read(begin, sizeBytes) : undefined;
      if (isOut(head, target)) continue;
      const size = type === 'file' ? sizeBytes : 0;
      const linkname = target && { linkname: target.toString('utf8') };
      yield* headOf({ name: path, type, mode, mtime: new Date(modifiedMs), size, ...linkname });
      if (type !== 'file') continue;
      for (let from = begin; from < at; from += chunkBytes) yield read(from, Math.min(chunkBytes, at - from));
      yield Buffer.alloc((512 - (size % 512)) % 512);
    }
    yield Buffer.alloc(1024);
  } finally {
    await file.close();
  }
}

export async function downloadWorkspace(deps: TaskDeps, call: Call<Operations['tasks.workspace']>): Promise<void> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitWork(task, role);
  const store = await storeOf(deps, task.id);
  const raw = call as unknown as Call;
  if (store !== null && store !== deps.hosts.store) {
    await askElsewhere(deps, raw, store, 'CHANGES_NOT_FOUND');
    return;
  }
  // Nothing is in the place of a workspace that its sandbox did not give out.
  const isThere = store !== null && ((await deps.archives.size(task.id)) ?? 0) > 0;
  const file = isThere ? await open(deps.archives.pathOf(task.id)).catch(nullWhereMissing) : null;
  const why = 'The delivered workspace is not kept any more, or there was none. Apply the patch to your files instead.';
  ensure(file, 'CHANGES_NOT_FOUND', why);
  await raw.raw
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${call.params.taskId}.tar"`)
    .header('x-content-type-options', 'nosniff')
    .send(Readable.from(tarOf(file), { objectMode: false, highWaterMark: chunkBytes }));
}
