import type { Finding } from './finding.ts';

/** One item in our books, as money moved for it. */
export interface OurItem {
  /** By which the processor's record of it is known. */
  key: string;
  /** The processor's name of it, as far as we know that. */
  ref: string | null;
  /** Amount of the entries, in cents. */
  cents: number;
  /**
   * `open`: not decided yet, so both amounts are right. `returnable`: booked, but the processor may already have taken
   * it back without news. `void`: no money moved, or it was returned.
   */
  state: 'booked' | 'returnable' | 'open' | 'void';
  at: string;
  agentId: string | null;
  ownerId: string | null;
  /** The processor's name of the charge that it is, or is about. */
  chargeRef: string | null;
}

/** One record in the processor's books, under our key. */
export interface TheirItem {
  key: string;
  ref: string;
  cents: number;
  at: Date;
  /** The processor knows it, and that no money moved in the end. */
  isVoid: boolean;
  /** The processor's name of the payer or payee, which says whose it is where we have no row. */
  party?: string | null;
  /** Whose it is by our books, and the charge that it is or is about, as far as there are such. */
  ownerId?: string;
  chargeRef?: string;
}

export type Family = 'charge' | 'reversal' | 'payout';

const finding = (
  kind: Finding['kind'],
  subject: string,
  sides: Pick<Finding, 'here' | 'there'>,
  ours: OurItem | undefined,
  theirs: TheirItem | undefined,
): Finding => ({
  kind,
  subject,
  ...sides,
  agentId: ours?.agentId ?? null,
  ownerId: ours?.ownerId ?? theirs?.ownerId ?? null,
  occurredAt: new Date(theirs?.at ?? ours?.at ?? 0).toISOString(),
  chargeRef: theirs?.chargeRef ?? ours?.chargeRef ?? null,
});

/**
 * Compares the processor's records of one key with ours. If several records moved money, the one whose name we know
 * counts, or else the first. The others moved it again.
 */
export function compareKey(family: Family, ours: OurItem | undefined, theirs: TheirItem[]): Finding[] {
  const moved = theirs.filter((each) => !each.isVoid);
  const counted = moved.find((each) => each.ref === ours?.ref) ?? moved[0];
  const twice = moved
    .filter((each) => each !== counted)
    // Reversals have a key each, so nothing comes under one twice.
    .map((each) =>
      finding(`${family === 'payout' ? 'payout' : 'charge'}_twice`, each.ref, sides(null, each), ours, each),
    );
  if (ours?.state === 'open') return twice;
  const booked = ours && ours.state !== 'void' ? ours : null;
  if (counted && !booked) {
    return [finding(`${family}_missing_here`, counted.ref, sides(null, counted), ours, counted), ...twice];
  }
  if (!counted && booked?.state === 'returnable' && theirs.length > 0) return [];
  if (!counted && booked) {
    return [finding(`${family}_missing_there`, booked.ref ?? booked.key, sides(booked, null), booked, undefined)];
  }
  if (counted && booked && counted.cents !== booked.cents) {
    return [finding(`${family}_amount`, counted.ref, sides(booked, counted), booked, counted), ...twice];
  }
  return twice;
}

const sides = (here: { cents: number } | null, there: { cents: number } | null) => ({
  here: here?.cents ?? null,
  there: there?.cents ?? null,
});
