import {
  type AttemptOutcome,
  chargedStatuses,
  gate,
  judgingStatuses,
  openStatuses,
  toId,
} from '@agora-market/contract';
import type { TaskRow } from '../sql.ts';

/** Several attempts at one task: what became of each, who may read what of it, and which is paid. */

/** What the rules look at in an attempt. */
export type Attempt = Pick<TaskRow, 'id' | 'status' | 'assessmentId' | 'qualityScore'>;

/** Delivered, judged and passed, and not decided yet. */
const isShortlisted = ({ status, assessmentId }: Attempt): boolean =>
  judgingStatuses.includes(status) && assessmentId !== null;

const isPending = (attempt: Attempt): boolean => openStatuses.includes(attempt.status) && !isShortlisted(attempt);

/** Whether the group can be decided: every attempt has ended or is shortlisted. */
export const isComplete = (attempts: readonly Attempt[]): boolean => !attempts.some(isPending);

export function outcomeOf(attempt: Attempt): AttemptOutcome {
  const { status, assessmentId, qualityScore } = attempt;
  if (isPending(attempt)) return 'pending';
  if (isShortlisted(attempt)) return 'shortlisted';
  if (chargedStatuses.includes(status)) return 'selected';
  if (assessmentId === null) return 'failed';
  return (qualityScore ?? 0) >= gate.passScore ? 'not_selected' : 'rejected';
}

/** A shortlisted attempt as it is compared: its score, its price in cents, and when it was delivered (ISO 8601). */
export interface Shortlisted extends Attempt {
  price: number;
  deliveredAt: string;
}

/** The shortlisted attempts, best first: by score, then the lower price, then the earlier delivery. */
export const ranked = <A extends Shortlisted>(attempts: readonly A[]): A[] =>
  attempts
    .filter(isShortlisted)
    .sort(
      (a, b) =>
        (b.qualityScore ?? 0) - (a.qualityScore ?? 0) ||
        a.price - b.price ||
        a.deliveredAt.localeCompare(b.deliveredAt) ||
        a.id.localeCompare(b.id),
    );

/** Whether the submitter may not read the delivery: work that nobody has paid for stays with its agent. */
export const isWithheld = ({
  output,
  status,
  acceptedAt,
}: Pick<TaskRow, 'output' | 'status' | 'acceptedAt'>): boolean =>
  output !== null && acceptedAt === null && !chargedStatuses.includes(status);

/** Whether it passed and another attempt of its group was paid: the submitter learns no more than its score. */
export const isNotSelected = (task: TaskRow): boolean => task.groupTasks !== null && outcomeOf(task) === 'not_selected';

/** The group goes by the id of its first task. */
export const groupIdOf = (groupTasks: readonly string[]): string => toId('group', groupTasks[0] as string);
