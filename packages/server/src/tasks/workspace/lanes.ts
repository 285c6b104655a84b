import type { Clock } from '../../platform/index.ts';
import { createFairSemaphore, withTimeout } from '../../platform/index.ts';
import { SandboxError } from '../../sandbox/index.ts';

/**
 * Turns for exporting whole workspaces, which the agent inside can try to delay. Each owner of agents exports one at a
 * time. After an export that took too long, the owner's next exports wait in a slow lane and delay only others there.
 */

/** The longest that one may hold its place. */
export const exportMs = 30_000;
/** How long a stall counts. */
const stalledForMs = 600_000;

/**
 * Runs `take`, which exports something in time, and then `use` on the result in the same place. A result that comes too
 * late is dropped.
 */
export type ExportLanes = <T, R>(owner: string, take: () => Promise<T>, use: (taken: T) => Promise<R>) => Promise<R>;

const inSlowLane = Symbol('in the slow lane');

export function createExportLanes(clock: Clock, places: number, patienceMs = exportMs): ExportLanes {
  const usual = createFairSemaphore(places, 1);
  const slow = createFairSemaphore(1);
  /** When the stall of an owner is forgotten, oldest first. */
  const stalled = new Map<string, number>();
  const isStalled = (owner: string) => (stalled.get(owner) ?? 0) > clock.now().getTime();

  function note(owner: string) {
    const now = clock.now().getTime();
    for (const [other, untilMs] of stalled) if (untilMs <= now) stalled.delete(other);
    stalled.set(owner, now + stalledForMs);
  }

  async function inTime<T>(owner: string, take: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(clock, patienceMs, take(), () => new SandboxError('TIMED_OUT', 'It took too long.'));
    } catch (error) {
      if (error instanceof SandboxError && error.code === 'TIMED_OUT') note(owner);
      throw error;
    }
  }

  return async (owner, take, use) => {
    const attempt = async () => use(await inTime(owner, take));
    // Asked when its turn comes: another of its owner's may have stalled since.
    const first = async () => (isStalled(owner) ? inSlowLane : attempt());
    const done = await usual(1, first, owner);
    return done === inSlowLane ? slow(1, attempt, owner) : done;
  };
}
