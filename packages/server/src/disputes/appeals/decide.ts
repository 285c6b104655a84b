import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { newUuid, transaction } from '../../platform/index.ts';
import type { NewRun } from '../../tasks/index.ts';
import type { DisputeDeps } from '../deps.ts';
import { insertAssessment } from '../due-sql.ts';
import { attempt, nextLease, type Runs } from '../runs.ts';
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

/** In the end the first verdict stands. */
const decide = (deps: DisputeDeps, appeal: AppealRow): Promise<void> =>
  attempt(deps, appeal, async () => conclude(deps, appeal, await deps.gate.again(appeal.taskId, null)), {
    message: 'an appealed delivery could not be assessed again',
    giveUp: () => conclude(deps, appeal, null),
    putOff: (until) => postponeAppeal(deps.pool, appeal.assessmentId, until),
  });

/** Runs the gate for an appeal; safe to run at any moment and in several processes. */
export async function sweepAppeals(deps: DisputeDeps, runs: Runs): Promise<void> {
  const lease = nextLease(deps, runs);
  if (lease === null) return;
  const leased = await leaseAppeals(deps.pool, lease);
  await runs.begin(leased.map((each) => ({ id: each.assessmentId, run: () => decide(deps, each) })));
}
