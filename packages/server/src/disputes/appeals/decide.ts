import { toId } from '@agora/contract';
import { appendEvent } from '../../events/index.ts';
import { newUuid, transaction } from '../../platform/index.ts';
import type { NewRun } from '../../tasks/index.ts';
import type { DisputeDeps } from '../deps.ts';
import { insertAssessment } from '../due-sql.ts';
import { backoffMs, maxRuns, nextLease, type Runs } from '../runs.ts';
import { type AppealRow, leaseAppeals, markDecided, postponeAppeal } from './sql.ts';

/**
 * Stores the result of the new run. The buyer was refunded when the task failed and is never charged again. A pass
 * removes the failure from the agent's reputation, which reads the event. Without a new verdict the first one stands.
 */
async function conclude({ pool, clock }: DisputeDeps, appeal: AppealRow, found: NewRun | null): Promise<void> {
  const { verdict = null } = found ?? {};
  const resultId = verdict === null ? null : newUuid(clock);
  const stored = await transaction(pool, 'ledger', async (tx) => {
    const { assessmentId, taskId, agentId, ownerId, correlationId } = appeal;
    const at = clock.now();
    const status = verdict?.passed ? 'upheld' : 'rejected';
    if ((await markDecided(tx, assessmentId, { status, resultId, at })) === null) return false;
    if (verdict && resultId) await insertAssessment(tx, { ...verdict, id: resultId, taskId, purpose: 'appeal', at });
    await appendEvent(tx, {
      type: 'assessment.appeal_decided',
      district: 'courts',
      at,
      correlationId,
      taskId,
      agentId,
      ownerId,
      data: { assessmentId: toId('assessment', assessmentId), status, score: verdict?.score ?? null },
    });
    return true;
  });
  if (stored && resultId) found?.book(resultId);
}

/** Never rejects: a failed run is repeated, and in the end the first verdict stands. */
async function decide(deps: DisputeDeps, appeal: AppealRow): Promise<void> {
  const { pool, clock, log } = deps;
  const { assessmentId, taskId, attempts } = appeal;
  try {
    await conclude(deps, appeal, await deps.gate.again(taskId, null));
  } catch (error) {
    log.error({ err: error, taskId, attempts }, 'an appealed delivery could not be assessed again');
    const noted =
      attempts >= maxRuns
        ? conclude(deps, appeal, null)
        : postponeAppeal(pool, assessmentId, new Date(clock.now().getTime() + backoffMs(attempts)));
    // If that fails too, the next sweep finds it leased here and not running.
    await noted.catch(() => undefined);
  }
}

/** Runs the gate for an appeal; safe to run at any moment and in several processes. */
export async function sweepAppeals(deps: DisputeDeps, runs: Runs): Promise<void> {
  const lease = nextLease(deps, runs);
  if (lease === null) return;
  const leased = await leaseAppeals(deps.pool, lease);
  await runs.begin(leased.map((each) => ({ id: each.assessmentId, run: () => decide(deps, each) })));
}
