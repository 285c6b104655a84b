import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  DamagedObject,
  failStore,
  keyOf,
  type ObjectStore,
  openVerified,
  sha256Of,
  storeFailed,
  wholeOf,
} from '../../objects/index.ts';
import {
  ApiError,
  type Clock,
  flushDirectory,
  isTaskId,
  type Logger,
  newUuid,
  nullWhereMissing,
  type Pool,
  removePartialFiles,
  writeAtomically,
} from '../../platform/index.ts';
import {
  archiveDelivery,
  type Carried,
  carryDelivery,
  carryWorkspace,
  keepWorkspace,
  type ObjectRows,
  objectRows,
  type WorkTable,
} from './archive-sql.ts';

/** Where a delivered workspace lies, as its row says: in a data directory, or as an object that all servers reach. */
export interface Location {
  store: string | null;
  objectId: string | null;
  sha256: string | null;
}

/** Whose work is put somewhere; a delivery is of no particular sandbox. */
interface Work {
  taskId: string;
  sandboxId?: string;
}

/** Where archives lie, by task: files of this server's directory, or objects of a bucket, which rows name. */
export interface ArchivePlace {
  /** With their bytes, oldest first: the id of a task begins with the time at which it was made. */
  list(): Promise<Listed[]>;
  /** Its bytes, or null if there is none. */
  size(taskId: string): Promise<number | null>;
  put(work: Work, archive: Buffer): Promise<Location>;
  /** As it was put; null if it is gone or damaged. */
  read(taskId: string): Promise<Buffer | null>;
  /** The same in pieces; fails at its end where it is damaged. */
  stream(taskId: string): Promise<Readable | null>;
  /** Gone for good, also should the power be cut now. None is no error. */
  remove(taskId: string): Promise<void>;
}

type Listed = [taskId: string, bytes: number];

/** Other servers put and remove there as well, so no process remembers all. */
export interface SharedPlace extends ArchivePlace {
  /** So many of the list after that task. */
  page(after: string, limit: number): Promise<Listed[]>;
}

export interface DeliveryPlace extends ArchivePlace {
  /** No row came to name what was put. */
  undo(location: Location): Promise<void>;
  /** From here on it is in the place of the archives. */
  archive(taskId: string): Promise<unknown>;
}

export interface ArchivePlaces<Place extends ArchivePlace = ArchivePlace> {
  /** Delivered workspaces that wait for their verdict. */
  deliveries: Place & DeliveryPlace;
  /** Those of tasks that were judged. */
  archives: Place;
  /** Work of sandboxes that ended before their tasks. */
  workspaces: Place & {
    /** Where a bucket is too slow for a server that stops: on this disk, from where `carryIntoBucket` takes it. */
    putAside?(work: Work, archive: Buffer): Promise<unknown>;
  };
  /** The last of each task whose sandbox may end by itself, or has done so. */
  snapshots: Place;
}

/** Below a data directory. */
export async function placesOnDisk(dataDir: string, store: string, clock: Clock): Promise<ArchivePlaces> {
  await renameShelf(dataDir);
  const [deliveries, archives] = [join(dataDir, 'deliveries'), join(dataDir, 'archives')];
  return {
    deliveries: {
      ...(await directoryPlace(deliveries, store, clock)),
      undo: async () => undefined,
      archive: (taskId) => rename(join(deliveries, taskId), join(archives, taskId)).catch(nullWhereMissing),
    },
    archives: await directoryPlace(archives, store, clock),
    workspaces: await directoryPlace(join(dataDir, 'workspaces'), store, clock),
    snapshots: await directoryPlace(join(dataDir, 'snapshots'), store, clock),
  };
}

/** What is in `shelf`, as older versions named the directory, moves to `archives`. */
async function renameShelf(dataDir: string): Promise<void> {
  const [dir, former] = [join(dataDir, 'archives'), join(dataDir, 'shelf')];
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const found = (await readdir(former).catch(nullWhereMissing)) ?? [];
  for (const name of found) await rename(join(former, name), join(dir, name));
  await rm(former, { recursive: true, force: true });
}

async function directoryPlace(dir: string, store: string, clock: Clock): Promise<ArchivePlace> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await removePartialFiles(dir, clock.now().getTime());
  const pathOf = (taskId: string) => join(dir, taskId);
  const size = (taskId: string) => stat(pathOf(taskId)).then((found) => found.size, nullWhereMissing);
  return {
    async list() {
      const found: Listed[] = [];
      for (const taskId of (await readdir(dir)).filter(isTaskId).sort()) {
        const bytes = await size(taskId);
        if (bytes !== null) found.push([taskId, bytes]);
      }
      return found;
    },
    size,
    async put({ taskId }, archive) {
      await writeAtomically(pathOf(taskId), archive).catch(failStore);
      return { store, objectId: null, sha256: null };
    },
    read: (taskId) => readFile(pathOf(taskId)).catch(nullWhereMissing).catch(failStore),
    stream: async (taskId) => ((await size(taskId)) === null ? null : createReadStream(pathOf(taskId))),
    async remove(taskId) {
      await rm(pathOf(taskId), { force: true });
      await flushDirectory(dir);
    },
  };
}

interface BucketDeps {
  pool: Pool;
  objects: ObjectStore;
  clock: Clock;
  log: Logger;
}

/** In a bucket. An object that no row names, for example after a crash between the two, goes with the hourly comparison. */
export function placesInBucket(deps: BucketDeps, disk: ArchivePlaces): ArchivePlaces<SharedPlace> {
  const { pool } = deps;
  const aside = disk.workspaces;
  const put = bucketPut(deps);
  const placeOfWork = (table: WorkTable): SharedPlace => ({
    ...bucketPlace(deps, objectRows(table, 'true')),
    async put(work, archive) {
      const location = await put(archive);
      const { isKept, former } = await keepWorkspace(pool, table, { ...work, ...location, sizeBytes: archive.length });
      await erase(deps, isKept ? former : location.objectId);
      return location;
    },
  });
  const workspaces = placeOfWork('kept_workspaces');
  return {
    deliveries: {
      ...bucketPlace(deps, objectRows('deliveries', 'not archived')),
      put: (_, archive) => put(archive),
      undo: ({ objectId }) => erase(deps, objectId),
      archive: (taskId) => archiveDelivery(pool, taskId),
    },
    archives: { ...bucketPlace(deps, objectRows('deliveries', 'archived')), put: (_, archive) => put(archive) },
    workspaces: {
      ...workspaces,
      async size(taskId) {
        const bytes = await workspaces.size(taskId);
        if (bytes !== null || (await aside.size(taskId)) === null) return bytes;
        throw new ApiError('NOT_READY', 'The work of this task is on its way into the object store. Try again.');
      },
      async remove(taskId) {
        await workspaces.remove(taskId);
        if ((await aside.size(taskId)) !== null) await aside.remove(taskId);
      },
      putAside: aside.put,
    },
    snapshots: placeOfWork('workspace_snapshots'),
  };
}

/**
 * Moves into the bucket what lies in the data directory: put aside by a stop, or left by a server without a bucket. What no row
 * looks for there is nobody's any more.
 */
export async function carryIntoBucket(
  deps: BucketDeps,
  disk: ArchivePlaces,
  store: string,
  signal: AbortSignal,
): Promise<void> {
  const { pool } = deps;
  const put = bucketPut(deps);
  const steps = [
    { from: disk.deliveries, name: (moved: Carried) => carryDelivery(pool, { ...moved, archived: false }) },
    { from: disk.archives, name: (moved: Carried) => carryDelivery(pool, { ...moved, archived: true }) },
    { from: disk.workspaces, name: (moved: Carried) => carryWorkspace(pool, 'kept_workspaces', moved) },
    { from: disk.snapshots, name: (moved: Carried) => carryWorkspace(pool, 'workspace_snapshots', moved) },
  ];
  for (const { from, name } of steps) {
    for (const [taskId, sizeBytes] of await from.list()) {
      if (signal.aborted) return;
      try {
        const archive = await from.read(taskId);
        if (archive === null) continue;
        const object = await put(archive, signal);
        const found = await name({ taskId, ...object, store, sizeBytes });
        if (found !== 'carried') await erase(deps, object.objectId);
        if (found !== 'early') await from.remove(taskId);
      } catch (error) {
        deps.log.warn({ err: error, taskId }, 'a workspace could not be moved into the bucket yet');
      }
    }
  }
}

/** An answer that is damaged or cut is asked for again: only the same damage twice is the object's, and not of the way here. */
const proofs = 2;

function bucketPlace(deps: BucketDeps, { list, page, find, forget }: ObjectRows): Omit<SharedPlace, 'put'> {
  const { pool, objects, log } = deps;
  async function withObject<R>(
    taskId: string,
    use: (opened: { sizeBytes: number; stream: Readable }) => Promise<R>,
  ): Promise<R | null> {
    const stored = await find(pool, taskId);
    if (stored === null) return null;
    const failures: unknown[] = [];
    while (failures.length < proofs) {
      try {
        const opened = await openVerified(objects, keyOf('workspaces', stored.id), stored);
        return opened && (await use(opened));
      } catch (error) {
        // Refused by the store, which has been asked more than once.
        if (error instanceof ApiError) throw error;
        failures.push(error);
      }
    }
    const [error] = failures;
    const damages = new Set(failures.map((each) => (each instanceof DamagedObject ? each.found : each)));
    if (!(error instanceof DamagedObject) || damages.size > 1) throw storeFailed(error);
    log.error({ err: error, taskId }, 'a workspace in the bucket is damaged');
    return null;
  }
  return {
    list: async () => (await list(pool)).map(listed),
    page: async (after, limit) => (await page(pool, after, limit)).map(listed),
    size: async (taskId) => (await find(pool, taskId))?.sizeBytes ?? null,
    read: (taskId) => withObject(taskId, wholeOf),
    stream: (taskId) => withObject(taskId, async ({ stream }) => stream),
    // The row first: nobody waits for a bucket that is away to be rid of something.
    remove: async (taskId) => erase(deps, (await forget(pool, taskId))?.id ?? null),
  };
}

const listed = ({ taskId, sizeBytes }: { taskId: string; sizeBytes: number }): Listed => [taskId, sizeBytes];

const bucketPut =
  ({ objects, clock }: BucketDeps) =>
  async (archive: Buffer, signal?: AbortSignal): Promise<Location & { objectId: string; sha256: string }> => {
    const objectId = newUuid(clock);
    const sha256 = await sha256Of(archive);
    await objects.put(keyOf('workspaces', objectId), archive, sha256, signal);
    return { store: null, objectId, sha256 };
  };

async function erase({ objects, log }: BucketDeps, objectId: string | null): Promise<void> {
  if (objectId === null) return;
  await objects.delete(keyOf('workspaces', objectId)).catch((error) => {
    log.warn({ err: error, objectId }, 'an object could not be erased; the hourly comparison tries again');
  });
}
