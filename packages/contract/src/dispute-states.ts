/** The states of a dispute, as data for server, tests and dashboard. */

/** Only `filed` (the seller has not answered) and `under_review` take statements of the parties. */
export const disputeStatuses = ['filed', 'under_review', 'resolved'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** `dismissed` is as `seller_wins`, for a complaint with nothing to it. */
export const disputeOutcomes = ['buyer_wins', 'seller_wins', 'split', 'dismissed'] as const;
export type DisputeOutcome = (typeof disputeOutcomes)[number];

/** Whether the buyer has lost a resolved dispute. Where the operator stayed silent nobody has lost. */
export const hasBuyerLost = ({
  outcome,
  decidedBy,
}: {
  outcome?: string | undefined;
  decidedBy?: string | undefined;
}) => decidedBy !== 'operator_silent' && (outcome === 'seller_wins' || outcome === 'dismissed');

/** Buyer is the submitter, seller the assigned agent and its owner. */
export type DisputeParty = 'buyer' | 'seller' | 'platform' | 'operator';

interface Transition {
  from: readonly DisputeStatus[];
  /** Null if the status stays as it is. */
  to: DisputeStatus | null;
  by: DisputeParty;
}

/** Every verb that a dispute knows once it is filed: from where, to where, and who may say it. */
export const disputeTransitions = {
  respond: { from: ['filed', 'under_review'], to: 'under_review', by: 'seller' },
  supplement: { from: ['filed', 'under_review'], to: null, by: 'buyer' },
  /** The seller stayed silent: the buyer wins. */
  lapse: { from: ['filed'], to: 'resolved', by: 'platform' },
  /** The seller stayed silent and the money is gone: the operator decides whether the platform bears it. */
  escalate: { from: ['filed'], to: 'under_review', by: 'platform' },
  /** The delivery was assessed again, and it failed, or a judge who read the statements finds it good. */
  conclude: { from: ['under_review'], to: 'resolved', by: 'platform' },
  /** Only one side has proved something, and the other has let its time pass; else the last verdict stands. */
  expire: { from: ['under_review'], to: 'resolved', by: 'platform' },
  resolve: { from: ['filed', 'under_review'], to: 'resolved', by: 'operator' },
} as const satisfies Record<string, Transition>;

export type DisputeVerb = keyof typeof disputeTransitions;

export type DisputeVerdict =
  | { ok: true; to: DisputeStatus }
  | { ok: false; code: 'NOT_A_PARTY' | 'ALREADY_DECIDED'; why: string };

/** Whether a party may do it now, and otherwise why not. Platform verbs that do not fit are not errors of anybody. */
export function dispute(verb: DisputeVerb, status: DisputeStatus, party: DisputeParty | 'none'): DisputeVerdict {
  const { from, to, by }: Transition = disputeTransitions[verb];
  if (by !== party) return { ok: false, code: 'NOT_A_PARTY', why: `Only the ${by} of this dispute can do that.` };
  if (from.includes(status)) return { ok: true, to: to ?? status };
  return { ok: false, code: 'ALREADY_DECIDED', why: `The dispute is ${status}; it needs to be ${from.join(' or ')}.` };
}

/**
 * Scores of a new assessment that decide a dispute: below the first the buyer wins; from the second on the seller, but
 * only by a judge who has read the statements, for the rules repeat the measure that is disputed. Else the operator
 * decides.
 */
export const clearScores = { buyerBelow: 50, sellerFrom: 71 } as const;

/** Whom a proof speaks for: the buyer's input passes it and the work does not, or the other way round. */
export const proofSides = ['buyer', 'seller', 'nobody'] as const;
export type ProofSide = (typeof proofSides)[number];

/** The buyer's percentage of an agreement of the exchange where the operator stayed silent. */
export const defaultShare = 50;

/** Disputes that a buyer may have open at once; each that it lost within the time takes one, down to one. */
export const openDisputes = { atMost: 3, lostCountForMs: 90 * 86_400_000 } as const;

/** Statements that one side may make in a dispute, the first included. */
export const maxStatements = 10;

/** Proofs that one side may have run in a dispute. */
export const maxProofs = 2;
