import { type Pool, rows } from '../../platform/index.ts';
import type { ArchivePlace, ArchivePlaces } from './archive-places.ts';

/** The largest workspace that is taken out of a sandbox, for the gate or to be kept. */
export const maxWorkspaceBytes = 256 * 1024 ** 2;

/**
 * Workspaces by task. If they are too large together, the owner with the most bytes (as buyer and seller together) loses
 * its largest, of equal ones the oldest. So every owner has an equal share of the room, and more if others leave some.
 */
export interface Workspaces
  extends Pick<ArchivePlace, 'read' | 'remove'>,
    Pick<ArchivePlaces['workspaces'], 'putAside'> {
  put(work: { taskId: string; sandboxId: string }, archive: Buffer): Promise<void>;
  /** Whether this process has put or found it there; costs no system call. */
  has(taskId: string): boolean;
  /** The same, by looking: another process may have put it there, or taken it away. */
  look(taskId: string): Promise<boolean>;
  taskIds(): Promise<string[]>;
}

/** Delivered workspaces of tasks that were judged, kept for appeals and disputes as long as their inputs are. */
export interface ArchiveStore extends Workspaces, Pick<ArchivePlace, 'size' | 'stream'> {
  /** Takes over what has been put in its place. */
  note(taskId: string): Promise<void>;
  /** Removes those whose time is over. */
  clear(now: Date): Promise<void>;
}

export async function createArchiveStore(
  pool: Pool,
  place: ArchivePlaces['archives' | 'workspaces'],
  limits: { keepMs: number; inputTtlMs: number; maxBytes: number },
): Promise<ArchiveStore> {
  /** Bytes of each, oldest first. */
  const kept = new Map<string, number>();
  /** Buyer and seller of those that were looked at. */
  const parties = new Map<string, string[]>();
  let total = 0;

  function forget(taskId: string) {
    total -= kept.get(taskId) ?? 0;
    kept.delete(taskId);
    parties.delete(taskId);
  }

  async function remove(taskId: string) {
    if (!place.isShared && !kept.has(taskId)) return;
    await place.remove(taskId);
    forget(taskId);
  }

  function count(taskId: string, bytes: number | null) {
    forget(taskId);
    if (bytes === null) return;
    kept.set(taskId, bytes);
    total += bytes;
  }

  async function countAll() {
    const found = new Map(await place.list());
    for (const taskId of kept.keys()) if (!found.has(taskId)) forget(taskId);
    for (const [taskId, bytes] of found) count(taskId, bytes);
  }

  const countShared = async () => {
    if (place.isShared) await countAll();
  };

  /** Looks at the owners only where somebody has to give way. */
  async function makeRoom() {
    if (total <= limits.maxBytes) return;
    await countShared();
    const unknown = [...kept.keys()].filter((taskId) => !parties.has(taskId));
    for (const { id, buyer, seller } of await partiesOf(pool, unknown)) parties.set(id, [buyer, seller]);
    while (total > limits.maxBytes) await remove(givesWay(kept, parties));
  }

  const note = async (taskId: string) => {
    count(taskId, await place.size(taskId));
    await makeRoom();
  };

  await countAll();
  // What others share with this process is not for it to judge before it is one of them.
  if (!place.isShared) await makeRoom();
  return {
    note,
    async put(work, archive) {
      await place.put(work, archive);
      await note(work.taskId);
    },
    putAside: 'putAside' in place ? place.putAside : undefined,
    has: (taskId) => kept.has(taskId),
    async look(taskId) {
      const bytes = await place.size(taskId);
      count(taskId, bytes);
      return bytes !== null;
    },
    remove,
    async taskIds() {
      await countShared();
      return [...kept.keys()];
    },
    read: place.read,
    stream: place.stream,
    size: place.size,
    async clear(now) {
      await countShared();
      if (kept.size === 0) return;
      const ids = [...kept.keys()];
      const wanted = new Set(await wantedAmong(pool, ids, now, limits));
      for (const taskId of ids) if (!wanted.has(taskId)) await remove(taskId);
      await makeRoom();
    },
  };
}

/**
 * Of the given tasks those whose verdict can still be looked into: an attempt may wait for the others, and a dispute keeps its
 * input for longer.
 */
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
         and (finished_at is null or finished_at > $3 or input_expires_at > created_at + ($4 + paused_ms) * interval '1 ms')`,
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
