import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Operations } from '@agora-market/contract';
import { type Headers, pack } from 'tar-stream';
import { type Call, ensure, row } from '../../platform/index.ts';
import { type ArchiveHead, headAt, headBytes } from '../../sandbox/index.ts';
import { partyTask } from '../access.ts';
import { askElsewhere, permitWork } from '../artifacts/read.ts';
import { leadsOut } from '../changes/part-of-delivery.ts';
import type { TaskDeps } from '../deps.ts';
import { isForbidden } from '../inputs/forbidden-names.ts';

/** A delivered workspace as a tar archive, read as it is sent. */

const chunkBytes = 256 * 1024;
/** With the longest path that an entry can have. */
const longestHead = headBytes + 0xffff;
/** Entries before others have a turn: many small ones come from one read, and take no other. */
const entriesAtOnce = 16;

const deliveryOf = ({ pool }: TaskDeps, taskId: string) =>
  row<{ store: string | null }>(pool, 'deliveries_store', 'select store from deliveries where task_id = $1', [taskId]);

/** Reads from the beginning on: what is before the position that was asked for last is let go. */
function reader(content: Readable) {
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  let heldAt = 0;
  /** So many bytes from a position on, or what there is of them. */
  return async (position: number, length: number): Promise<Buffer> => {
    for (;;) {
      const skipped = Math.min(position - heldAt, held.length);
      held = held.subarray(skipped);
      heldAt += skipped;
      if (heldAt === position && held.length >= length) return held.subarray(0, length);
      const next = await chunks.next();
      if (next.done) return held;
      held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    }
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
async function* tarOf(content: Readable): AsyncGenerator<Buffer> {
  try {
    const read = reader(content);
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
    content.destroy();
  }
}

export async function downloadWorkspace(deps: TaskDeps, call: Call<Operations['tasks.workspace']>): Promise<void> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitWork(task, role);
  const delivery = await deliveryOf(deps, task.id);
  const store = delivery?.store ?? null;
  const raw = call as unknown as Call;
  if (store !== null && store !== deps.hosts.store) {
    await askElsewhere(deps, raw, store, 'CHANGES_NOT_FOUND');
    return;
  }
  // Nothing is in the place of a workspace that its sandbox did not give out.
  const isThere = delivery !== null && ((await deps.archives.size(task.id)) ?? 0) > 0;
  const content = isThere ? await deps.archives.stream(task.id) : null;
  const why = 'The delivered workspace is not kept any more, or there was none. Apply the patch to your files instead.';
  ensure(content, 'CHANGES_NOT_FOUND', why);
  const tar = Readable.from(tarOf(content), { objectMode: false, highWaterMark: chunkBytes });
  // A client may go before the first byte is read.
  tar.once('close', () => content.destroy());
  await raw.raw
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${call.params.taskId}.tar"`)
    .header('x-content-type-options', 'nosniff')
    .send(tar);
}
