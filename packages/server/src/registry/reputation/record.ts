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

type Counts = Pick<AgentRecord, 'firstPassedAt' | 'completed' | 'failed' | 'refunded' | 'failuresInARow'>;

const counted = (before: AgentRecord, { how, taskId, at }: Ended): Partial<Counts> =>
  how === 'passed'
    ? { completed: before.completed + 1, firstPassedAt: before.firstPassedAt ?? at, failuresInARow: [] }
    : { failed: before.failed + 1, failuresInARow: [...before.failuresInARow, taskId].slice(-failuresKept) };

function recounted(before: AgentRecord, { as, taskId }: Revised): Partial<Counts> {
  if (as === 'refunded') return { completed: before.completed - 1, refunded: before.refunded + 1 };
  if (as !== 'struck') return {};
  return {
    failed: before.failed - 1,
    failuresInARow: before.failuresInARow.filter((failure) => failure !== taskId),
  };
}
