import { type Category, failuresBeforeSuspension } from '@agora/contract';
import { aged, combine, type Evidence, emptyEvidence, observe } from './evidence.ts';
import type { Ended, Fact, Revised } from './fact.ts';
import { evidenceOf, hear, revise, type Voice } from './voice.ts';
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
  thumbsUp: number;
  thumbsDown: number;
  /** Tasks that ended, by category. */
  tasks: Partial<Record<Category, number>>;
  /** The last failures in a row, oldest first, by task. */
  failuresInARow: string[];
}

export const emptyRecord = (): AgentRecord => ({
  asOf: 0,
  evidence: emptyEvidence(),
  firstPassedAt: null,
  completed: 0,
  failed: 0,
  refunded: 0,
  thumbsUp: 0,
  thumbsDown: 0,
  tasks: {},
  failuresInARow: [],
});

/** So many failures in a row are kept; more say nothing more. */
const failuresKept = 10;

/** What is known beside the record when a fact comes in. */
export interface Surroundings {
  /** What the buyer has said so far; null where it is new to the agent. */
  voice: Voice | null;
  /** How much the buyer's word counts now (`voiceOf`). */
  buyerWeight: number;
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
  const at = Math.max(before.asOf, fact.at);
  const now = { ...before, asOf: at, evidence: aged(before.evidence, at - before.asOf) };
  if (fact.kind === 'ended') {
    const voice = hear(around.voice, fact, around.buyerWeight, around.medianPrice);
    return { after: { ...withVoice(now, around.voice, voice), ...counted(before, fact) }, voice };
  }
  if (fact.kind === 'revised') {
    const voice = revise(around.voice, fact, around.buyerWeight);
    const after = voice ? withVoice(now, around.voice, voice) : now;
    return { after: { ...after, ...recounted(before, fact) }, voice };
  }
  if (fact.kind === 'forgiven') {
    // Fewer failures than suspend go on counting: to deactivate an agent and bring it back wins nothing.
    const isForgiven = before.failuresInARow.length >= failuresBeforeSuspension;
    return { after: { ...now, failuresInARow: isForgiven ? [] : before.failuresInARow }, voice: null };
  }
  const evidence = combine(now.evidence, emptyEvidence(), 1);
  if (fact.kind === 'unanswered') observe(evidence.reliability, weights.unanswered, 0);
  else observe(evidence.relationship, 1, 0);
  return { after: { ...now, evidence }, voice: null };
}

/** Puts what a buyer says now in the place of what it said before. */
function withVoice(now: AgentRecord, before: Voice | null, after: Voice): AgentRecord {
  const rest = before ? combine(now.evidence, evidenceOf(before, now.asOf), -1) : now.evidence;
  return { ...now, evidence: combine(rest, evidenceOf(after, now.asOf), 1) };
}

function counted(before: AgentRecord, { how, category, taskId, at }: Ended): Partial<AgentRecord> {
  const tasks = { ...before.tasks, [category]: (before.tasks[category] ?? 0) + 1 };
  return how === 'passed'
    ? { tasks, completed: before.completed + 1, firstPassedAt: before.firstPassedAt ?? at, failuresInARow: [] }
    : { tasks, failed: before.failed + 1, failuresInARow: [...before.failuresInARow, taskId].slice(-failuresKept) };
}

const less = (count: number): number => Math.max(0, count - 1);

function recounted(before: AgentRecord, { as, taskId, replaced = null }: Revised): Partial<AgentRecord> {
  const { completed, failed, refunded, failuresInARow } = before;
  switch (as) {
    case 'up':
    case 'down': {
      if (as === replaced) return {};
      const thumbsUp = replaced === 'up' ? less(before.thumbsUp) : before.thumbsUp;
      const thumbsDown = replaced === 'down' ? less(before.thumbsDown) : before.thumbsDown;
      return as === 'up' ? { thumbsUp: thumbsUp + 1, thumbsDown } : { thumbsUp, thumbsDown: thumbsDown + 1 };
    }
    case 'refunded':
      return { completed: less(completed), refunded: refunded + 1 };
    case 'struck':
      return { failed: less(failed), failuresInARow: failuresInARow.filter((failure) => failure !== taskId) };
    case 'shared':
      return {};
  }
}
