import { exchangeRules, type Operations, type ReplyOf, toId } from '@agora-market/contract';
import {
  assess,
  type GateAdditions,
  rowsForBuyer,
  rowsForSeller,
  rowsWithoutWork,
  strongestProof,
  type Verdict,
  withoutReasons,
} from '../gate/index.ts';
import {
  type AgentCaller,
  ensure,
  newUuid,
  type OwnerCaller,
  type Queryable,
  type Tx,
  transaction,
} from '../platform/index.ts';
import { type AgreementRow, agreementById, lockAgreement, moveAgreement } from './agreement-sql.ts';
import { sideOf } from './changes.ts';
import { assessmentById, insertAssessment, leaseDelivered, postponeGate } from './deliverable-sql.ts';
import type { ExchangeDeps } from './deps.ts';
import { logAgreement } from './log.ts';
import { notify } from './notifications.ts';
import { endAgreement } from './settle.ts';

/** A gate without an answer after this time runs again; the judge's longest opinion is shorter. */
const leaseMs = 480_000;
const atOnce = 4;
/** After so many runs that failed for a reason of ours, the buyer decides without an assessment. */
const maxRuns = 5;
const retryMs = 60_000;

type Delivery = NonNullable<AgreementRow['deliverable']>;

/** The delivery as an output of a task; of a file that is no text, the gate sees only that it is there. */
function outputOf({ type, result }: Delivery): Record<string, unknown> {
  if (type !== 'file') return { result };
  const { name, content, encoding } = result as { name: string; content: string; encoding: string };
  return encoding === 'utf8' ? { result: content, file: name } : { file: name, base64Characters: content.length };
}

/** The gate's verdict on text alone: the exchange has no sandbox, so nothing is run. */
const verdictOn = (agreement: AgreementRow, delivery: Delivery, additions: GateAdditions): Promise<Verdict> =>
  assess(
    {
      task: {
        id: agreement.id,
        ownerId: agreement.buyerOwnerId,
        taskType: agreement.category,
        input: { description: `${agreement.title}\n\n${agreement.description}` },
        output: outputOf(delivery),
        declaredScore: null,
      },
      workspace: null,
      openSandbox: () => Promise.reject(new Error('the exchange has no sandboxes')),
      originalFiles: [],
    },
    additions,
  );

/** The buyer has its time from now on. */
async function handToBuyer(tx: Tx, found: AgreementRow, verdict: Verdict | null, at: Date): Promise<void> {
  const acceptBy = new Date(at.getTime() + exchangeRules.acceptMs);
  if (!(await moveAgreement(tx, found.id, 'pass', { dueAt: acceptBy, acceptBy })))
    throw new Error('a locked agreement has moved');
  const result = { score: verdict?.score ?? null };
  await logAgreement(tx, found, { type: 'agreement.assessed', at }, result);
  const notice = {
    type: 'work_assessed',
    about: { requestId: found.requestId, agreementId: found.id },
    more: result,
  } as const;
  const told = [found.buyerAgentId, found.sellerAgentId];
  await notify(
    tx,
    told.map((agentId) => ({ agentId, ...notice })),
    at,
  );
}

/** Stores the verdict and what follows from it, unless another process was faster. Null: nobody could assess it. */
const conclude = (deps: ExchangeDeps, agreementId: string, verdict: Verdict | null): Promise<void> =>
  transaction(deps.pool, 'ledger', async (tx) => {
    const found = await lockAgreement(tx, agreementId);
    if (found?.status !== 'delivered') return;
    const at = deps.clock.now();
    if (verdict) await insertAssessment(tx, { ...verdict, id: newUuid(deps.clock), agreementId, at });
    if (verdict === null || verdict.passed) return handToBuyer(tx, found, verdict, at);
    const assessed = { ...found, qualityScore: verdict.score };
    const ending = { verb: 'reject', because: 'rejected', refundCents: found.price } as const;
    await endAgreement(tx, deps.config, assessed, ending, at);
  });

async function assessOne(deps: ExchangeDeps, { id, attempts }: { id: string; attempts: number }): Promise<void> {
  try {
    const found = await agreementById(deps.pool, id);
    if (!found?.deliverable) throw new Error('a delivered agreement has no deliverable');
    await conclude(deps, id, await verdictOn(found, found.deliverable, deps.additions));
  } catch (error) {
    deps.log.error({ err: error, agreementId: id, attempts }, 'a delivery of the exchange could not be assessed');
    if (attempts >= maxRuns) await conclude(deps, id, null);
    else await postponeGate(deps.pool, id, new Date(deps.clock.now().getTime() + retryMs));
  }
}

/** Assesses what was delivered, with no transaction open. */
export async function assessDelivered(deps: ExchangeDeps): Promise<void> {
  while (!deps.stopping.aborted) {
    const leased = await leaseDelivered(deps.pool, deps.clock.now(), leaseMs, atOnce);
    await Promise.all(leased.map((each) => assessOne(deps, each)));
    if (leased.length < atOnce) return;
  }
}

/** The assessment of an agreement, for buyer and seller; null if there is none with this id. */
export async function agreementAssessment(
  db: Queryable,
  id: string,
  caller: AgentCaller | OwnerCaller,
): Promise<ReplyOf<Operations['courts.getAssessment']> | null> {
  const found = await assessmentById(db, id);
  if (!found) return null;
  const side = sideOf(found, caller);
  ensure(side !== 'none', 'NOT_A_PARTY', 'Only the buyer and the seller can read an assessment.');
  const { score, passed, judge, createdAt } = found;
  const rowsFor = side !== 'buyer' ? rowsForSeller : passed ? rowsForBuyer : rowsWithoutWork;
  return {
    id: toId('assessment', found.id),
    taskId: toId('agreement', found.agreementId),
    ...{ score, passed, createdAt },
    judge: side === 'buyer' && !passed ? withoutReasons(judge) : judge,
    proof: strongestProof(found.criteria),
    criteria: rowsFor(found.criteria),
    purpose: 'gate',
    appeal: null,
    gateCpuMs: null,
  };
}
