import { type Pool, rows } from '../../platform/index.ts';
import type { ArchivePlace, ArchivePlaces, SharedPlace } from './archive-places.ts';

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
  /** Removes those whose time is over; where servers share them, of some at a time. */
  clear(now: Date): Promise<void>;
  /** Of all that this process has put or found there. */
  taskIds(): string[];
}

/** Delivered workspaces of tasks that were judged, kept for appeals and disputes as long as their inputs are. */
export interface ArchiveStore extends Workspaces, Pick<ArchivePlace, 'size' | 'stream'> {
  /** Takes over what has been put in its place. */
  note(taskId: string): Promise<void>;
}

interface Limits {
  maxBytes: number;
  /** Of the given tasks, those whose workspace is not needed any more. */
  over(ids: string[], now: Date): Promise<string[]>;
}

/** In a place of this process alone. */
export async function createArchiveStore(
  pool: Pool,
  place: ArchivePlaces['archives' | 'workspaces' | 'snapshots'],
  limits: Limits,
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
    if (!kept.has(taskId)) return;
    await place.remove(taskId);
    forget(taskId);
  }

  function count(taskId: string, bytes: number | null) {
    forget(taskId);
    if (bytes === null) return;
    kept.set(taskId, bytes);
    total += bytes;
  }

  /** Looks at the owners only where somebody has to give way. */
  async function makeRoom() {
    if (total <= limits.maxBytes) return;
    await findParties(pool, kept, parties);
    while (total > limits.maxBytes) await remove(givesWay(kept, parties));
  }

  const note = async (taskId: string) => {
    count(taskId, await place.size(taskId));
    await makeRoom();
  };

  for (const [taskId, bytes] of await place.list()) count(taskId, bytes);
  await makeRoom();
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
    taskIds: () => [...kept.keys()],
    read: place.read,
    stream: place.stream,
    size: place.size,
    async clear(now) {
      if (kept.size === 0) return;
      for (const taskId of await limits.over([...kept.keys()], now)) await remove(taskId);
      await makeRoom();
    },
  };
}

/** So many are looked at in one run, however many there are. */
export const pageRows = 1_000;
/** A run does not wait longer than about this for a bucket that is slow to erase. */
const clearMs = 20_000;
/** Before all tasks. */
export const beginning = '00000000-0000-0000-0000-000000000000';

/** In a place that all servers share, and clear by turns. They make room at the end of a round, not with each put. */
export function createSharedArchiveStore(
  pool: Pool,
  place: ArchivePlaces<SharedPlace>['archives' | 'workspaces' | 'snapshots'],
  limits: Limits,
): ArchiveStore {
  const known = new Set<string>();
  let after = beginning;
  /** Of the round so far. */
  let total = 0;

  async function remove(taskId: string) {
    await place.remove(taskId);
    known.delete(taskId);
  }

  async function makeRoom(untilMs: number) {
    const kept = new Map(await place.list());
    const parties = await findParties(pool, kept, new Map());
    let bytes = [...kept.values()].reduce((sum, each) => sum + each, 0);
    while (bytes > limits.maxBytes && performance.now() < untilMs) {
      const taskId = givesWay(kept, parties);
      await remove(taskId);
      bytes -= kept.get(taskId) ?? 0;
      kept.delete(taskId);
    }
  }

  return {
    putAside: 'putAside' in place ? place.putAside : undefined,
    note: async () => undefined,
    async put(work, archive) {
      await place.put(work, archive);
      known.add(work.taskId);
    },
    has: (taskId) => known.has(taskId),
    async look(taskId) {
      const isThere = (await place.size(taskId)) !== null;
      if (isThere) known.add(taskId);
      else known.delete(taskId);
      return isThere;
    },
    remove,
    taskIds: () => [...known],
    read: place.read,
    stream: place.stream,
    size: place.size,
    async clear(now) {
      const untilMs = performance.now() + clearMs;
      const page = await place.page(after, pageRows);
      const over = new Set(
        await limits.over(
          page.map(([taskId]) => taskId),
          now,
        ),
      );
      for (const [taskId, bytes] of page) {
        if (performance.now() > untilMs) return;
        if (over.has(taskId)) await remove(taskId);
        else total += bytes;
        after = taskId;
      }
      if (page.length === pageRows) return;
      if (total > limits.maxBytes) await makeRoom(untilMs);
      [after, total] = [beginning, 0];
    },
  };
}

/**
 * Of the given tasks those whose verdict can no longer be looked into: an attempt may wait for the others, and a dispute keeps
 * its input for longer.
 */
export const closedAmong = async (
  pool: Pool,
  ids: string[],
  now: Date,
  { keepMs, inputTtlMs }: { keepMs: number; inputTtlMs: number },
): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      pool,
      'tasks_closed_among',
      `select i.id from unnest($1::uuid[]) as i(id) where not exists (
         select from tasks t where t.id = i.id and t.assessment_id is not null and t.input_expires_at > $2
         and (t.finished_at is null or t.finished_at > $3
           or t.input_expires_at > t.created_at + ($4 + t.paused_ms) * interval '1 ms'))`,
      [ids, now.toISOString(), new Date(now.getTime() - keepMs).toISOString(), inputTtlMs],
    )
  ).map(({ id }) => id);

/** Adds buyer and seller of those that lack them. */
async function findParties(pool: Pool, kept: ReadonlyMap<string, number>, parties: Map<string, string[]>) {
  const unknown = [...kept.keys()].filter((taskId) => !parties.has(taskId));
  for (const { id, buyer, seller } of await partiesOf(pool, unknown)) parties.set(id, [buyer, seller]);
  return parties;
}

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
