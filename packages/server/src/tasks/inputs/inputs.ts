import { keyOf, type ObjectStore, readWhole } from '../../objects/index.ts';
import { ApiError, type Clock, type Config, ensure, type Logger, newUuid, type Pool } from '../../platform/index.ts';
import { createSlots } from '../slots.ts';
import type { TaskRow } from '../sql.ts';
import { clone } from './clone.ts';
import { type GitRemote, remoteOf } from './git-remote.ts';
import { inputFiles } from './input-files.ts';
import { layOver, type Originals } from './originals.ts';
import { cloneReasons } from './pack.ts';
import { forgetTree, keepTree, keptTree, orphanedTrees, replaceTree } from './sql.ts';

type TaskInput = Pick<TaskRow, 'id' | 'input' | 'inputExpiresAt' | 'createdAt'>;

/** What buyers provide: attached files, and repositories, which are cloned once and kept as long as the input. */
export interface Inputs {
  /** Clones the task's repository unless that was done or there is none. */
  prepare(task: TaskInput): Promise<void>;
  /** All that the buyer provided; 410 where it has been erased. */
  originals(task: TaskInput): Promise<Originals>;
  /** The attached files alone. */
  attached(task: TaskInput): Originals;
  /** Erases what is kept of inputs that have expired. */
  eraseExpired(): Promise<void>;
}

interface Deps {
  pool: Pool;
  clock: Clock;
  config: Config;
  log: Logger;
  objects: ObjectStore;
  /** Aborts when the server stops. */
  stopping: AbortSignal;
}

/** Clones of this process at once; each may hold its pack and its tree in memory. */
const clonesAtOnce = 2;
const batch = 200;

export function createInputs(deps: Deps): Inputs {
  const { pool, objects } = deps;
  const slots = createSlots(clonesAtOnce);
  /** Trees being fetched, by task: requests of one moment share a clone. */
  const fetching = new Map<string, Promise<Buffer>>();

  function tree(task: TaskInput, remote: GitRemote): Promise<Buffer> {
    const existing = fetching.get(task.id);
    if (existing) return existing;
    const work = fetchTree(deps, slots, task, remote).finally(() => fetching.delete(task.id));
    fetching.set(task.id, work);
    return work;
  }

  return {
    async prepare(task) {
      const remote = remoteOf(task.input);
      if (remote === null || task.inputExpiresAt === null) return;
      if ((await keptTree(pool, task.id)) === null) await tree(task, remote);
    },
    attached: (task) => layOver(null, inputFiles(task.input), new Date(task.createdAt).getTime()),
    async originals(task) {
      ensure(task.inputExpiresAt !== null, 'INPUT_EXPIRED');
      const remote = remoteOf(task.input);
      const kept = remote === null ? null : await tree(task, remote);
      return layOver(kept, inputFiles(task.input), new Date(task.createdAt).getTime());
    },
    async eraseExpired() {
      for (;;) {
        const expired = await orphanedTrees(pool, batch);
        for (const { taskId, objectId } of expired) {
          // The row goes last: while there is one, the bytes are tried again.
          await objects.delete(keyOf('repositories', objectId));
          await forgetTree(pool, taskId, objectId);
        }
        if (expired.length < batch) return;
      }
    },
  };
}

/** The kept tree; the first time, and where its object was lost, the repository is cloned. */
async function fetchTree(
  deps: Deps,
  slots: ReturnType<typeof createSlots>,
  task: TaskInput,
  remote: GitRemote,
): Promise<Buffer> {
  const { pool, clock, objects } = deps;
  const kept = await keptTree(pool, task.id);
  const found = kept && (await readWhole(objects, keyOf('repositories', kept.objectId)));
  if (found) return found;
  // A branch may have moved on; the task stays with the commit that it began with.
  const ref = kept?.commit ?? remote.ref ?? null;
  const { commit, archive } = await slots(1, () => cloneOrRefuse(deps, task.id, { url: remote.url, ref }));
  const objectId = newUuid(clock);
  await objects.put(keyOf('repositories', objectId), archive);
  const stored = kept
    ? await replaceTree(pool, task.id, kept.objectId, objectId)
    : await keepTree(pool, { taskId: task.id, objectId, commit, sizeBytes: archive.length, at: clock.now() });
  if (stored?.objectId === objectId) return archive;
  // Another process was faster, or the input has been erased meanwhile.
  await objects.delete(keyOf('repositories', objectId));
  const other = stored ?? (await keptTree(pool, task.id));
  const theirs = other && (await readWhole(objects, keyOf('repositories', other.objectId)));
  ensure(theirs, 'INPUT_EXPIRED');
  return theirs;
}

async function cloneOrRefuse(
  { config, log, stopping }: Deps,
  taskId: string,
  { url, ref }: { url: string; ref: string | null },
): Promise<{ commit: string; archive: Buffer }> {
  const reply = await clone(
    {
      url,
      ref,
      allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK,
      maxBytes: config.REPOSITORY_MAX_BYTES,
      maxFiles: config.REPOSITORY_MAX_FILES,
    },
    config.REPOSITORY_TIMEOUT_MS,
    stopping,
  );
  if (reply.ok) return { commit: reply.commit, archive: Buffer.from(reply.archive.buffer) };
  const { reason, cause } = reply;
  log.info({ taskId, reason, cause }, 'a repository could not be cloned');
  const message = `The buyer's repository cannot be cloned: ${cloneReasons[reason]}.`;
  throw new ApiError('REPOSITORY_UNAVAILABLE', message, { reason });
}
