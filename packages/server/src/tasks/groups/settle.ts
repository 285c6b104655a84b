import { splitPrice } from '@agora-market/contract';
import { transaction } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import type { FinishItem } from '../steps/finish.ts';
import { settleStep } from '../steps/index.ts';
import { isComplete, ranked } from './attempts.ts';
import { type AttemptRow, attemptsOf, dueGroups, parkAttempts } from './groups-sql.ts';

const batch = 200;

/** What the agent and the submitter of an attempt read that passed and is not paid. */
const passedOver = 'not_selected: The delivery passed, and another attempt at the task was better.';

/**
 * Decides groups whose attempts have all ended or are shortlisted. What it looks at does not change any more, so that
 * several processes come to the same decision, and the first one to write it is obeyed.
 */
export async function settleGroups(deps: Pick<TaskDeps, 'pool' | 'clock' | 'config' | 'writer'>): Promise<void> {
  const now = deps.clock.now();
  const due = await dueGroups(deps.pool, now, batch);
  if (due.length === 0) return;
  const found = new Map((await attemptsOf(deps.pool, due.flat())).map((attempt) => [attempt.id, attempt]));
  const groups = due.map((ids) => ids.map((id) => found.get(id) as AttemptRow));
  const waiting = groups.filter((attempts) => !isComplete(attempts)).flat();
  if (waiting.length > 0) {
    const ids = waiting.map(({ id }) => id);
    await transaction(deps.pool, 'ledger', (tx) => parkAttempts(tx, ids));
  }
  // Nothing is left to decide where another process has been faster since these groups were found.
  const decisions = groups
    .filter(isComplete)
    .map((attempts) => decisionOn(deps, attempts, now))
    .filter((items) => items.length > 0);
  const settled = await Promise.allSettled(decisions.map((items) => deps.writer.write(settleStep, items)));
  // All are tried before a failure is thrown.
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The best attempt is charged, the holds of the others return. */
function decisionOn({ config }: Pick<TaskDeps, 'config'>, attempts: AttemptRow[], now: Date): FinishItem[] {
  return ranked(attempts).map(({ id, price, feeBps }, place): FinishItem => {
    const common = { taskId: id, agentId: null, at: now.toISOString(), assessment: null };
    if (place > 0) return { ...common, verb: 'passOver', fee: 0, payout: 0, releaseAt: null, errorMessage: passedOver };
    const { feeCents: fee, payoutCents: payout } = splitPrice(price, feeBps);
    const releaseAt = new Date(now.getTime() + config.EARNINGS_HOLD_MS).toISOString();
    return { ...common, verb: 'pass', fee, payout, releaseAt, errorMessage: null };
  });
}
