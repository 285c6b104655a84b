import type { FindingKind } from '@agora-market/contract';

/** A difference that a run found. Ids are UUIDs, amounts cents, null if there is no record. */
export interface Finding {
  kind: FindingKind;
  /** Together with the kind it identifies the finding, so that the next run recognises it. */
  subject: string;
  /** Whose wallet it is about. */
  agentId: string | null;
  ownerId: string | null;
  here: number | null;
  there: number | null;
  /** Null if it has no time of its own, for example a balance. */
  occurredAt: string | null;
  /** The charge that the finding is about, for asking the processor about its state. */
  chargeRef?: string | null;
}

/** Result of a finding: `settled` by the run that found it, or `gone` if a later run no longer found it. */
export type FindingStatus = 'open' | 'settled' | 'cleared' | 'gone';

type Difference = Pick<Finding, 'here' | 'there'>;

/**
 * Whether two findings are the same difference. Both sides of a balance change with every transfer, but their
 * difference stays. A missing record differs from a record of the same amount.
 */
const isSameDifference = (a: Difference, b: Difference): boolean =>
  (a.here === null) === (b.here === null) &&
  (a.there === null) === (b.there === null) &&
  (a.here ?? 0) - (a.there ?? 0) === (b.here ?? 0) - (b.there ?? 0);

/** A known finding is reported again only if it was closed or its difference changed. */
export const isNews = (known: (Difference & { status: FindingStatus }) | null, found: Difference): boolean =>
  known === null || known.status === 'gone' || known.status === 'settled' || !isSameDifference(known, found);
