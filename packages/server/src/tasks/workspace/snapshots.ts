import { withTimeout } from '../../platform/index.ts';
import { createExportLanes } from './lanes.ts';
import { isLaid, stillWork, type WorkspaceSession } from './session.ts';
import type { SessionDeps } from './session-registry.ts';
import { markSnapshot } from './sql.ts';

/**
 * What is done in a live sandbox is stored some time after, for a sandbox that ends by itself. Of each task the last snapshot
 * is kept, and it goes with the task.
 */

/** A workspace as of a time. */
interface Snapshot {
  archive: Buffer;
  at: string;
}

/** In place of the one before. What lies there is at least as new as the row says. */
async function storeSnapshot(
  { pool, snapshots }: SessionDeps,
  { row }: WorkspaceSession,
  { archive, at }: Snapshot,
): Promise<void> {
  await snapshots.put({ taskId: row.taskId, sandboxId: row.id }, archive);
  await markSnapshot(pool, row.id, at);
  row.snapshotAt = at;
}

/** Each holds a workspace in memory. */
const snapshotsAtOnce = 2;
/** Longest that commands stand still for one, for the time of a command runs on. */
const stillMs = 5_000;
/** A round has more to do than to wait for all of its snapshots. */
const roundMs = 2_000;

/** Takes those that are due; the function may be called again at any time. */
export function createSnapshots(deps: SessionDeps, running: () => WorkspaceSession[]): () => Promise<void> {
  const { clock, config, log } = deps;
  const lanes = createExportLanes(clock, snapshotsAtOnce);
  const isDue = ({ changedAtMs, snapshotting }: WorkspaceSession) =>
    snapshotting === null && changedAtMs !== null && changedAtMs + config.SNAPSHOT_MS <= clock.now().getTime();

  /** Never rejects. */
  async function take(current: WorkspaceSession): Promise<void> {
    const { taskId } = current.row;
    try {
      await deps.disk.requireRoom();
      await lanes(
        current.ownerId,
        () => takenFrom(deps, current),
        async (taken) => {
          if (taken && goesOn(current)) await storeSnapshot(deps, current, taken);
        },
      );
    } catch (error) {
      current.changedAtMs = clock.now().getTime();
      if (goesOn(current))
        log.warn({ err: error, taskId }, 'the work in a sandbox could not be stored; that is tried again');
    } finally {
      current.snapshotting = null;
    }
  }

  return async () => {
    for (const current of running().filter(isDue)) current.snapshotting = take(current);
    const underWay = running().map(({ snapshotting }) => snapshotting);
    await withTimeout(clock, roundMs, Promise.all(underWay));
  };
}

/** What is kept or given up at its end needs no snapshot. */
const goesOn = ({ keeping, fate }: WorkspaceSession): boolean => keeping === null && fate === 'lost';

/** Null where nothing is left to be stored by the time that its turn has come. */
async function takenFrom({ clock }: SessionDeps, current: WorkspaceSession): Promise<Snapshot | null> {
  if (!goesOn(current) || !(await isLaid(current))) return null;
  const now = clock.now();
  current.changedAtMs = null;
  const archive = await current.sandbox.still(async () => {
    const taken = await stillWork(current, stillMs);
    // What goes on, or waits for this, changes the workspace again.
    if (current.sandbox.isBusy) current.changedAtMs ??= now.getTime();
    return taken;
  });
  return { archive, at: now.toISOString() };
}
