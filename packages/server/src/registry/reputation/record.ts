import type { Category } from '@agora-market/contract';
import { agedCopy, combine, type Evidence, emptyEvidence, observe } from './evidence.ts';
import type { Ended, Fact, Revised } from './fact.ts';
import { doSuspend, type Failure, withFailure } from './failures.ts';
import { evidenceOf, hear, joined, refusalsOf, revise, type Voice } from './voice.ts';
import { weights } from './weights.ts';

/** All that is kept of an agent's past. The evidence weighs as it did at `asOf` (ms). */
export interface AgentRecord {
  asOf: number;
  evidence: Evidence;
  /** When the first task passed (ms), from which tenure counts. */
  firstPassedAt: number | null;
  completed: number;
  failed: number;
  refunded: number;
  /**
   * What refunds and contested failures weigh against the completed tasks: by a ruling one each, otherwise what their
   * buyer's word does.
   */
  refusals: number;
  /** Those of the failures for which the agent is not answerable. */
  contested: number;
  thumbsUp: number;
  thumbsDown: number;
  /** Principals that paid for a task that passed and did not get all of that back; that of the agent's owner is none of them. */
  payers: number;
  /** Tasks that ended, by category. */
  tasks: Partial<Record<Category, number>>;
  /** The last failures in a row, oldest first. */
  failuresInARow: Failure[];
}

export const emptyRecord = (): AgentRecord => ({
  asOf: 0,
  evidence: emptyEvidence(),
  firstPassedAt: null,
  completed: 0,
  failed: 0,
  refunded: 0,
  refusals: 0,
  contested: 0,
  thumbsUp: 0,
  thumbsDown: 0,
  payers: 0,
  tasks: {},
  failuresInARow: [],
});

/** Facts from outside the record that a new fact needs. */
export interface Surroundings {
  /** What the buyer has said so far; null where it is new to the agent. */
  voice: Voice | null;
  /** The buyer is the principal of the agent's owner, whose credits come back to it. */
  isOwn?: boolean;
  /** How much the buyer's word counts now (`voiceOf`). */
  buyerWeight: number;
  /** How much a refund counts that the buyer alone decides on (`weightOfRefund`); in full where it is left out. */
  refundWeight?: number;
  /** Median price of the category in cents; null before the first. */
  medianPrice: number | null;
}

/** The record after one more fact, and what the buyer says from now on (null where that has not changed). */
export function record(
  before: AgentRecord,
  fact: Fact,
  around: Surroundings,
): { after: AgentRecord; voice: Voice | null } {
  // Facts of other processes can be a moment older than the last; time does not run backwards for a record.
  const after = copyAt(before, Math.max(before.asOf, fact.at));
  if (fact.kind === 'ended') {
    const heard = hear(around.voice, fact, around.buyerWeight, around.medianPrice);
    const voice = around.isOwn ? { ...heard, hasPaid: false } : heard;
    putVoice(after, around.voice, voice);
    if (voice.hasPaid && around.voice?.hasPaid !== true) after.payers++;
    count(after, fact, around.buyerWeight);
    return { after, voice };
  }
  if (fact.kind === 'revised') {
    const voice = revise(around.voice, fact, around.buyerWeight, around.refundWeight ?? 1);
    if (voice) {
      putVoice(after, around.voice, voice);
      if (around.voice?.hasPaid && !voice.hasPaid) after.payers--;
    }
    recount(after, fact, around.voice);
    return { after, voice };
  }
  if (fact.kind === 'forgiven') {
    // Fewer failures than suspend go on counting: to deactivate an agent and bring it back wins nothing.
    if (doSuspend(before.failuresInARow)) after.failuresInARow = [];
  } else if (fact.kind === 'unanswered') observe(after.evidence.reliability, weights.unanswered, 0);
  else observe(after.evidence.relationship, 1, 0);
  return { after, voice: null };
}

/** The record once two buyers are known to be one, and what that one says. `kept` is null where it has said nothing. */
export function joinVoices(before: AgentRecord, kept: Voice | null, gone: Voice): { after: AgentRecord; voice: Voice } {
  if (kept === null) return { after: before, voice: gone };
  const after = copyAt(before, before.asOf);
  const voice = joined(kept, gone);
  putVoice(after, kept, voice);
  combine(after.evidence, evidenceOf(gone, after.asOf), -1);
  after.refusals = Math.max(0, after.refusals - refusalsOf(gone));
  if (kept.hasPaid && gone.hasPaid) after.payers--;
  return { after, voice };
}

/** A record of its own whose evidence weighs as it does at a time (ms). */
const copyAt = (record: AgentRecord, at: number): AgentRecord => ({
  ...record,
  asOf: at,
  evidence: agedCopy(record.evidence, at - record.asOf),
  tasks: { ...record.tasks },
});

/** Puts what a buyer says now in the place of what it said before. */
function putVoice(record: AgentRecord, before: Voice | null, after: Voice): void {
  const { evidence, asOf, refusals } = record;
  if (before) combine(evidence, evidenceOf(before, asOf), -1);
  combine(evidence, evidenceOf(after, asOf), 1);
  record.refusals = Math.max(0, refusals - (before ? refusalsOf(before) : 0) + refusalsOf(after));
}

function count(after: AgentRecord, ended: Ended, buyerWeight: number): void {
  const { how, category, at } = ended;
  after.tasks[category] = (after.tasks[category] ?? 0) + 1;
  if (how === 'passed') {
    after.completed++;
    after.firstPassedAt ??= at;
    after.failuresInARow = [];
  } else {
    after.failed++;
    if (ended.answerable === 'buyer') after.contested++;
    after.failuresInARow = withFailure(after.failuresInARow, ended, buyerWeight);
  }
}

const less = (number: number): number => Math.max(0, number - 1);

function recount(after: AgentRecord, { as, taskId, replaced = null, isRuled }: Revised, said: Voice | null): void {
  switch (as) {
    case 'up':
    case 'down':
      if (as === replaced) return;
      if (replaced === 'up') after.thumbsUp = less(after.thumbsUp);
      if (replaced === 'down') after.thumbsDown = less(after.thumbsDown);
      if (as === 'up') after.thumbsUp++;
      else after.thumbsDown++;
      return;
    case 'refunded':
      after.completed = less(after.completed);
      after.refunded++;
      if (isRuled) after.refusals++;
      return;
    case 'struck':
      after.failed = less(after.failed);
      // What is no longer heard of was most likely contested: the platform's own evidence seldom falls.
      if (said?.heard.find(({ task }) => task === taskId)?.refused !== 0) after.contested = less(after.contested);
      after.failuresInARow = after.failuresInARow.filter((failure) => failure.task !== taskId);
      return;
    case 'shared':
  }
}
