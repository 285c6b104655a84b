import type { FindingKind } from '@agora/contract';

/** What does not fit, as a run sees it. Ids are UUIDs, amounts cents, null where there is nothing. */
export interface Finding {
  kind: FindingKind;
  /** With the kind it says what it is, so that the next run knows it again. */
  subject: string;
  /** Whose wallet it is about. */
  agentId: string | null;
  ownerId: string | null;
  here: number | null;
  there: number | null;
  /** Null for what has no time of its own, such as a balance. */
  occurredAt: string | null;
  /** The charge that it is about, by which the processor can be asked how that stands. */
  chargeRef?: string | null;
}

/** What became of a finding: `settled` by the run that found it, or `gone` when a later one found it in order. */
export type FindingStatus = 'open' | 'settled' | 'cleared' | 'gone';

type Difference = Pick<Finding, 'here' | 'there'>;

/**
 * Whether two findings tell of the same difference. Both sides of a balance move with every transfer, and what is wrong
 * between them stays; nothing at all is another difference than a sum of the same amount.
 */
const isSameDifference = (a: Difference, b: Difference): boolean =>
  (a.here === null) === (b.here === null) &&
  (a.there === null) === (b.there === null) &&
  (a.here ?? 0) - (a.there ?? 0) === (b.here ?? 0) - (b.there ?? 0);

/** What is known is told again only when it had come to its end, or when the difference is another one. */
export const isNews = (known: (Difference & { status: FindingStatus }) | null, found: Difference): boolean =>
  known === null || known.status === 'gone' || known.status === 'settled' || !isSameDifference(known, found);
