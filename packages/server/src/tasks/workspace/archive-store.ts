import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  flushDirectory,
  isTaskId,
  nullWhereMissing,
  type Pool,
  removePartialFiles,
  rows,
  writeAtomically,
} from '../../platform/index.ts';

/** The largest workspace that is taken out of a sandbox, for the gate or to be kept. */
export const maxWorkspaceBytes = 256 * 1024 ** 2;

/**
 * Workspaces by task, on disk. If they are too large together, the owner with the most bytes (as buyer and seller
 * together) loses its largest, of equal ones the oldest. So every owner has an equal share of the room, and more if
 * others leave some.
 */
export interface Workspaces {
  put(taskId: string, archive: Buffer): Promise<void>;
  /** Whether this process has put or found it there; costs no system call. */
  has(taskId: string): boolean;
  /** The same, by looking: another process may have put it there, or taken it away. */
  look(taskId: string): Promise<boolean>;
  read(taskId: string): Promise<Buffer | null>;
  /** Gone for good, also should the power be cut now. None is no error. */
  remove(taskId: string): Promise<void>;
  taskIds(): string[];
}

/** Delivered workspaces of tasks that were judged, kept for appeals and disputes as long as their inputs are. */
export interface ArchiveStore extends Workspaces {
  /** Where the workspace of a task has its place. */
  pathOf(taskId: string): string;
  /** Takes over a file that has been put there. */
  note(taskId: string): Promise<void>;
  /** Its bytes, or null if there is none. */
  size(taskId: string): Promise<number | null>;
  /** Removes those whose time is over. */
  clear(now: Date): Promise<void>;
}

/** The archives below a data directory. What is in `shelf`, as older versions named the directory, moves there. */
export async function openArchivesDir(dataDir: string): Promise<string> {
  const [dir, former] = [join(dataDir, 'archives'), join(dataDir, 'shelf')];
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const found = (await readdir(former).catch(nullWhereMissing)) ?? [];
  for (const name of found) await rename(join(former, name), join(dir, name));
  await rm(former, { recursive: true, force: true });
  return dir;
}

export async function createArchiveStore(
  pool: Pool,
  dir: string,
  limits: { keepMs: number; inputTtlMs: number; maxBytes: number },
  clock: Clock,
): Promise<ArchiveStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  /** Bytes of each, oldest first. */
  const kept = new Map<string, number>();
  /** Buyer and seller of those that were looked at. */
  const parties = new Map<string, string[]>();
  let total = 0;
  const pathOf = (taskId: string) => join(dir, taskId);
  const size = (taskId: string) => stat(pathOf(taskId)).then((found) => found.size, nullWhereMissing);

  function forget(taskId: string) {
    total -= kept.get(taskId) ?? 0;
    kept.delete(taskId);
    parties.delete(taskId);
  }

  async function remove(taskId: string) {
    if (!kept.has(taskId)) return;
    await rm(pathOf(taskId), { force: true });
    forget(taskId);
    await flushDirectory(dir);
  }

  async function count(taskId: string) {
    const bytes = await size(taskId);
    forget(taskId);
    if (bytes === null) return;
    kept.set(taskId, bytes);
    total += bytes;
  }

  /** Looks at the owners only where somebody has to give way. */
  async function makeRoom() {
    if (total <= limits.maxBytes) return;
    const unknown = [...kept.keys()].filter((taskId) => !parties.has(taskId));
    for (const { id, buyer, seller } of await partiesOf(pool, unknown)) parties.set(id, [buyer, seller]);
    while (total > limits.maxBytes) await remove(givesWay(kept, parties));
  }

  const note = async (taskId: string) => {
    await count(taskId);
    await makeRoom();
  };

  await removePartialFiles(dir, clock.now().getTime());
  // Their names begin with the time at which they were made.
  for (const taskId of (await readdir(dir)).filter(isTaskId).sort()) await count(taskId);
  await makeRoom();
  return {
    pathOf,
    note,
    async put(taskId, archive) {
      await writeAtomically(pathOf(taskId), archive);
      await note(taskId);
    },
    has: (taskId) => kept.has(taskId),
    async look(taskId) {
      await count(taskId);
      return kept.has(taskId);
    },
    remove,
    taskIds: () => [...kept.keys()],
    read: (taskId) => readFile(pathOf(taskId)).catch(nullWhereMissing),
    size,
    async clear(now) {
      if (kept.size === 0) return;
      const ids = [...kept.keys()];
      const wanted = new Set(await wantedAmong(pool, ids, now, limits));
      for (const taskId of ids) if (!wanted.has(taskId)) await remove(taskId);
    },
  };
}

/** Of the given tasks those whose verdict can still be looked into: a dispute keeps their input for longer. */
const wantedAmong = async (
  pool: Pool,
  ids: string[],
  now: Date,
  { keepMs, inputTtlMs }: { keepMs: number; inputTtlMs: number },
): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      pool,
      'tasks_wanted_among',
      `select id from tasks
       where id = any($1::uuid[]) and assessment_id is not null and input_expires_at > $2
         and (finished_at > $3 or input_expires_at > created_at + ($4 + paused_ms) * interval '1 ms')`,
      [ids, now.toISOString(), new Date(now.getTime() - keepMs).toISOString(), inputTtlMs],
    )
  ).map(({ id }) => id);

const partiesOf = (pool: Pool, ids: string[]) =>
  rows<{ id: string; buyer: string; seller: string }>(
    pool,
    'tasks_parties_of',
    `select t.id, t.owner_id as buyer, a.owner_id as seller from tasks t join agents a on a.id = t.agent_id
     where t.id = any($1::uuid[])`,
    [ids],
  );

/** The task whose workspace is removed next. One that the database does not know counts by itself. */
function givesWay(kept: ReadonlyMap<string, number>, parties: ReadonlyMap<string, string[]>): string {
  const ownersOf = (taskId: string) => parties.get(taskId) ?? [taskId];
  const held = new Map<string, number>();
  for (const [taskId, bytes] of kept) {
    for (const owner of ownersOf(taskId)) held.set(owner, (held.get(owner) ?? 0) + bytes);
  }
  const [most] = largestOf([...held]);
  const [next] = largestOf([...kept].filter(([taskId]) => ownersOf(taskId).includes(most)));
  return next;
}

/** Of equals the first. */
const largestOf = (all: [string, number][]) => all.reduce((most, each) => (each[1] > most[1] ? each : most));
