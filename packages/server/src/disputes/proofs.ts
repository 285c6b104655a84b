import { maxProofs, type ProofRequest, type ProofSide } from '@agora-market/contract';
import { type Clock, ensure, newUuid, type Tx, transaction } from '../platform/index.ts';
import { proofFiles } from '../tasks/index.ts';
import type { DisputeDeps } from './deps.ts';
import { appendDisputeEvent } from './dispute-events.ts';
import type { Side } from './parties.ts';
import {
  insertProof,
  isInputKept,
  type LeasedProof,
  leaseProofs,
  markRun,
  type ProofEnd,
  postponeProof,
  verdictsOf,
} from './proofs-sql.ts';
import { attempt, nextLease, type Runs } from './runs.ts';
import { lockDispute, markProofBy } from './sql.ts';

interface About {
  disputeId: string;
  taskId: string;
  side: Side;
  /** Who shows it. */
  ownerId: string;
}

/** Adds what a party would prove to a locked dispute; the sweep has it run. Nothing happens without a proof. */
export async function addProof(
  { tx, now, clock }: { tx: Tx; now: Date; clock: Clock },
  about: About,
  proof: ProofRequest | undefined,
): Promise<void> {
  if (proof === undefined) return;
  proofFiles(proof);
  ensure(
    await isInputKept(tx, about.taskId, now),
    'INPUT_EXPIRED',
    'The input of the task was erased, so nothing can be run over it any more. Send the statement without a proof.',
  );
  const count = await insertProof(tx, { ...about, ...proof, id: newUuid(clock), at: now });
  ensure(count <= maxProofs, 'WRONG_STATE', `Each side can have ${maxProofs} proofs run in a dispute.`);
}

/** The one side that the proofs of a dispute speak for; null where both have one, none has, or one was not run yet. */
export function provenSide(verdicts: readonly (ProofSide | null)[]): Side | null {
  if (verdicts.includes(null)) return null;
  const sides = new Set(verdicts.filter((each) => each === 'buyer' || each === 'seller'));
  return sides.size === 1 ? [...sides][0]! : null;
}

type Checks = ProofEnd['onInput'];

/** Null where a command did not come to its end, which proves nothing. */
function holds(checks: Checks): boolean | null {
  if (checks === null || checks.some(({ exitCode }) => exitCode === null)) return null;
  return checks.every(({ passed }) => passed);
}

/** `onDelivery`: null where the sandbox did not give out the work, so that nothing holds over it. */
export function speaksFor(onInput: Checks, onDelivery: Checks): ProofSide {
  const [before, after] = [holds(onInput), onDelivery === null ? false : holds(onDelivery)];
  if (before === null || after === null || before === after) return 'nobody';
  return after ? 'seller' : 'buyer';
}

/** Stores how a proof ended. If now one side alone has proved something, the other has as long as for an answer. */
async function conclude({ pool, clock, config }: DisputeDeps, proof: LeasedProof, end: ProofEnd): Promise<void> {
  await transaction(pool, 'ledger', async (tx) => {
    const found = await lockDispute(tx, proof.disputeId);
    const at = clock.now();
    if (!(await markRun(tx, proof.id, end, at)) || !found || found.status === 'resolved') return;
    const verdicts = await verdictsOf(tx, proof.disputeId);
    const side = provenSide(verdicts);
    // Nothing is known while another waits, so the time goes on. More proofs of the same side give the other no more.
    const begun = side === null ? null : new Date(at.getTime() + config.DISPUTE_RESPONSE_MS).toISOString();
    const proofBy = side !== null || verdicts.includes(null) ? (found.proofBy ?? begun) : null;
    await markProofBy(tx, proof.disputeId, proofBy);
    await appendDisputeEvent(tx, found, 'dispute.proved', { by: proof.side, speaksFor: end.speaksFor, proofBy }, at);
  });
}

const notRun = (why: string): ProofEnd => ({ speaksFor: 'nobody', why, onInput: null, onDelivery: null });

/** In the end a proof that the platform cannot run speaks for nobody. */
const prove = (deps: DisputeDeps, proof: LeasedProof): Promise<void> =>
  attempt(
    deps,
    proof,
    async () => {
      const ran = await deps.gate.prove(proof.taskId, proof, proof.ownerId);
      if (ran === null)
        return conclude(deps, proof, notRun('Not run: the input or the delivery is not kept any more.'));
      const why = ran.onDelivery === null ? 'The delivered workspace cannot be examined.' : null;
      await conclude(deps, proof, { speaksFor: speaksFor(ran.onInput, ran.onDelivery), why, ...ran });
    },
    {
      message: 'a proof in a dispute could not be run',
      giveUp: () => conclude(deps, proof, notRun('Not run: the platform could not run it.')),
      putOff: (until) => postponeProof(deps.pool, proof.id, until),
    },
  );

/** Runs proofs that are due; safe to run at any moment and in several processes. */
export async function sweepProofs(deps: DisputeDeps, runs: Runs): Promise<void> {
  const lease = nextLease(deps, runs);
  if (lease === null) return;
  const leased = await leaseProofs(deps.pool, lease);
  await runs.begin(leased.map((each) => ({ id: each.id, run: () => prove(deps, each) })));
}
