import {
  type DisputeVerb,
  dispute,
  maxStatements,
  type Operations,
  type ProofRequest,
  type ReplyOf,
  toUuid,
} from '@agora-market/contract';
import { ApiError, type Call, ensure } from '../platform/index.ts';
import type { DisputeDeps } from './deps.ts';
import { appendDisputeEvent } from './dispute-events.ts';
import { type Side, sideOf } from './parties.ts';
import { addProof } from './proofs.ts';
import { addStatement, type DisputeRow, lockDispute, markAnswered, type StatementRow } from './sql.ts';
import { reread } from './view.ts';

type SpeakCall = Call<Operations['courts.respondToDispute']> | Call<Operations['courts.supplementDispute']>;

/** The dispute in which a party makes a statement, locked. Refuses callers who are no party. */
async function openFor(call: SpeakCall): Promise<{ found: DisputeRow; side: ReturnType<typeof sideOf> }> {
  const id = toUuid('dispute', call.params.disputeId);
  const found = id === null ? null : await lockDispute(call.tx, id);
  ensure(found, 'DISPUTE_NOT_FOUND');
  const side = sideOf(found, call.caller);
  ensure(side !== 'none', 'NOT_A_PARTY', 'Only the buyer and the seller can make statements in a dispute.');
  return { found, side };
}

function permit(verb: DisputeVerb, { status }: DisputeRow, side: ReturnType<typeof sideOf>): void {
  const verdict = dispute(verb, status, side);
  if (!verdict.ok) throw new ApiError(verdict.code, verdict.why, { status });
}

interface Said {
  side: Side;
  text: string;
  evidence: StatementRow['evidence'];
  proof?: ProofRequest | undefined;
}

async function note(
  { clock }: Pick<DisputeDeps, 'clock'>,
  { tx, now, caller }: SpeakCall,
  found: DisputeRow,
  { proof, ...said }: Said,
): Promise<void> {
  const count = await addStatement(tx, { disputeId: found.id, ...said, at: now });
  ensure(count <= maxStatements, 'WRONG_STATE', `Each side can make ${maxStatements} statements in a dispute.`);
  const shown = { disputeId: found.id, taskId: found.taskId, side: said.side, ownerId: caller.ownerId };
  await addProof({ tx, now, clock }, shown, proof);
  await appendDisputeEvent(tx, found, said.side === 'seller' ? 'dispute.responded' : 'dispute.supplemented', {}, now);
}

/** The seller answers in time, or adds to its answer while the dispute is open. */
export async function respond(
  deps: Pick<DisputeDeps, 'config' | 'clock'>,
  call: Call<Operations['courts.respondToDispute']>,
): Promise<ReplyOf<Operations['courts.respondToDispute']>> {
  const { tx, now, body } = call;
  const { found, side } = await openFor(call);
  // Even if the dispute is already resolved for that reason: the reply to a late answer must not depend on when a sweep
  // ran.
  const isLate = found.respondedAt === null && now.toISOString() > found.respondBy;
  if (isLate && side === 'seller' && (found.status === 'filed' || found.decidedBy === 'seller_silent')) {
    const { respondBy } = found;
    throw new ApiError('DISPUTE_DEADLINE_PASSED', `The answer was due by ${respondBy}.`, { respondBy });
  }
  permit('respond', found, side);
  const { response, evidence, proof } = body;
  await note(deps, call, found, { side: 'seller', text: response, evidence, proof });
  if (found.respondedAt === null) {
    const decideBy = new Date(now.getTime() + deps.config.DISPUTE_DECISION_MS).toISOString();
    await markAnswered(tx, found.id, now, decideBy);
  }
  return reread(tx, found.id);
}

/** The buyer adds to its reason while the dispute is open. */
export async function supplement(
  deps: Pick<DisputeDeps, 'clock'>,
  call: Call<Operations['courts.supplementDispute']>,
): Promise<ReplyOf<Operations['courts.supplementDispute']>> {
  const { found, side } = await openFor(call);
  permit('supplement', found, side);
  const { statement, evidence, proof } = call.body;
  await note(deps, call, found, { side: 'buyer', text: statement, evidence, proof });
  return reread(call.tx, found.id);
}
