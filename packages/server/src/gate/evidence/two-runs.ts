import { type CheckSandbox, untouched } from '../sandboxes/check-sandbox.ts';
import type { Planned } from './planned.ts';
import { type Ran, reportOf, succeeded } from './ran.ts';

/** A command over the buyer's untouched files, and over the delivery with what decides put back. */
export interface TwoRuns {
  before: Ran;
  now: Ran;
  asked: Planned['asked'];
  /** The sandbox of the run over the delivery. */
  over: CheckSandbox;
  /** Paths of what was put back over the delivery. */
  restored: string[];
  /** Files of the agent's own that steer the run, where it succeeds with them and not without. */
  steered: string[];
}

/**
 * Runs a command over the untouched files first, because that run tells which files are tests and which steer them.
 * Without a delivered workspace both runs are one.
 */
export async function runTwice(
  plan: Planned,
  setup: CheckSandbox,
  purpose: 'checks' | 'tests',
  run: (setup: CheckSandbox) => Promise<Ran>,
): Promise<TwoRuns> {
  const plain = { over: setup, asked: plan.asked, restored: [], steered: [] };
  if (!setup.delivered) {
    const only = await run(setup);
    return { ...plain, before: only, now: only };
  }
  const before = await plan.untouched(setup.name, () => run(untouched(setup)));
  if ('lacking' in before) return { ...plain, before, now: before };
  const restored = { ...setup, restoration: await plan.restorationFor(purpose, reportOf(before)) };
  const now = await run(restored);
  const report = reportOf(now);
  const added = report === null ? [] : await setup.reader.read('addedSteering', { ...plan.asked, now: report });
  const paths = restored.restoration.files.map(({ path }) => path);
  if (added.length === 0) return { ...plain, before, now, over: restored, restored: paths };
  const restoration = { ...restored.restoration, removed: added };
  const over = { ...restored, restoration, name: `${setup.name} without what steers it` };
  const without = await run(over);
  const steered = succeeded(now) && !succeeded(without) ? added : [];
  return { ...plain, before, now: without, over, restored: paths, steered };
}
