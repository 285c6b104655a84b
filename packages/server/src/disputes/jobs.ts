import { type Job, reviveLeased, type Tx } from '../platform/index.ts';
import { sweepAppeals } from './appeals/decide.ts';
import type { DisputeDeps } from './deps.ts';
import { sweepProofs } from './proofs.ts';
import { eraseProofs } from './proofs-sql.ts';
import { createRuns, mayBeLeasable } from './runs.ts';
import { sweepDisputes } from './sweep.ts';

/** Gate runs for disputes, proofs and appeals at once; each may hold a workspace in memory. */
const runsAtOnce = 2;
/** They judge once more. */
const role = 'gate';
/** How long a job waits for the runs that it started, so that short ones are done when it ends. */
const patienceMs = 5_000;

/** Gates that a process had begun which has ended are run again by the next sweep, not after their lease. */
export async function takeOverDisputes(tx: Tx, now: Date): Promise<void> {
  await reviveLeased(tx, now, {
    table: 'disputes',
    id: 'id',
    leasedBy: 'leased_by',
    where: `status = 'under_review' and not reassessed`,
    dueAt: 'least($1, decide_by)',
  });
  await reviveLeased(tx, now, { table: 'dispute_proofs', id: 'id', leasedBy: 'leased_by' });
  await reviveLeased(tx, now, { table: 'appeals', id: 'assessment_id', leasedBy: 'leased_by' });
}

/** Timed jobs of disputes and appeals. */
export function createDisputes(deps: DisputeDeps) {
  const runs = createRuns(deps.clock, runsAtOnce, patienceMs);
  return {
    jobs: [
      { name: 'courts.disputes', role, due: mayBeLeasable('disputes'), run: () => sweepDisputes(deps, runs) },
      { name: 'courts.proofs', role, due: mayBeLeasable('dispute_proofs'), run: () => sweepProofs(deps, runs) },
      { name: 'courts.eraseProofs', everyMs: 60_000, run: async () => void (await eraseProofs(deps.pool)) },
      { name: 'courts.appeals', role, due: mayBeLeasable('appeals'), run: () => sweepAppeals(deps, runs) },
    ] satisfies Job[],
    idle: () => runs.idle(),
  };
}
