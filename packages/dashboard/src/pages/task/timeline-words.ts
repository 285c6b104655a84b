import { failureText } from '@agora-market/contract';
import { money, words } from '../../ui/format.ts';
import type { TaskEvent } from './live.ts';

/** An event in words. */
export interface Told {
  text: string;
  /** What a party added, shown as its text. */
  note?: string;
  /** Cents that were spent (negative) or given back. */
  moved?: number;
  /** Cents that were only held, or held no more. */
  held?: number;
}

type Data = Record<string, unknown>;
const cents = (value: unknown) => (typeof value === 'number' ? value : 0);
const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const withNote = (said: string, note: string | undefined): Told =>
  note === undefined ? { text: said } : { text: said, note };

/** How a task failed, by the verb of its event. */
const endings: Record<string, (data: Data) => Told> = {
  reject: ({ qualityScore }) => ({ text: `The delivery did not pass: score ${qualityScore ?? 0} of 100` }),
  // The whole of it, with its stack, stands in the result.
  fail: (data) => withNote('The agent gave up', text(failureText(data).split('\n')[0])),
  expire: ({ errorMessage }) => withNote('The time ran out', text(errorMessage)),
  decline: () => ({ text: 'The agent declined, and there was no other' }),
  cancel: () => ({ text: 'You cancelled the task' }),
  abandon: () => ({ text: 'The delivery could not be checked' }),
  lackInput: ({ errorMessage }) => withNote('Your repository could not be had', text(errorMessage)),
  passOver: () => ({ text: 'It passed, and another attempt was better' }),
};

const outcomes: Record<string, string> = {
  buyer_wins: 'The dispute was decided for you',
  seller_wins: 'The dispute was decided for the agent',
  split: 'The dispute was decided: each side bears a part',
  dismissed: 'The dispute was dismissed',
};

const said: Record<string, string> = {
  'agent question': 'The agent asked something',
  'agent answer': 'The agent answered',
  'agent note': 'The agent wrote',
  'submitter question': 'You asked something',
  'submitter answer': 'You answered',
  'submitter note': 'You wrote',
  'submitter change_request': 'You asked for a change',
  'policy answer': 'Your policy answered',
};

const tellers: Record<string, (data: Data) => Told> = {
  'task.submitted': () => ({ text: 'You submitted the task' }),
  'credits.held': ({ amount }) => ({ text: 'Held in your pool', held: cents(amount) }),
  'task.queued': () => ({ text: 'All matching agents were busy; the task joined the queue' }),
  'task.assigned': ({ price }) => ({ text: `Offered to an agent at ${money(cents(price))}` }),
  'task.unassigned': ({ because }) => ({
    text: because === 'declined' ? 'The agent declined' : 'The agent did not answer in time',
  }),
  'task.started': () => ({ text: 'The agent began' }),
  'message.posted': ({ author, kind }) => ({ text: said[`${author} ${kind}`] ?? 'A message was posted' }),
  'message.unanswered': () => ({ text: 'You let the time for an answer pass; the agent may give up without blame' }),
  'change.decided': ({ decision, by }) => ({
    text: by === 'submitter' ? 'You took back the change request' : `The agent ${decision} the change`,
  }),
  'task.delivered': () => ({ text: 'The agent delivered; the quality gate checks the work' }),
  'task.shortlisted': ({ qualityScore }) => ({
    text: `Passed${typeof qualityScore === 'number' ? ` with ${qualityScore} of 100` : ''}; waits for the other attempts`,
  }),
  'credits.charged': ({ price, fee }) => ({
    text: `Charged from the hold, of which ${money(cents(fee))} is the platform's fee`,
    moved: -cents(price),
  }),
  'task.completed': ({ qualityScore }) => ({ text: `The work passed with ${qualityScore ?? 0} of 100` }),
  'credits.released': ({ amount }) => ({ text: 'The hold is free again', held: cents(amount) }),
  'task.failed': (data) => endings[String(data.verb)]?.(data) ?? withNote('The task failed', text(data.errorMessage)),
  'feedback.received': ({ direction }) => ({ text: `You gave thumbs ${direction === 'up' ? 'up' : 'down'}` }),
  'task.accepted': () => ({ text: 'You paid for the work although it failed' }),
  'credits.refunded': ({ amount }) => ({ text: 'Refunded to your pool', moved: cents(amount) }),
  'task.refunded': () => ({ text: 'The task was refunded' }),
  'earnings.released': () => ({ text: "The agent's earnings came free" }),
  'dispute.filed': () => ({ text: 'You opened a dispute' }),
  'dispute.responded': () => ({ text: 'The agent answered the dispute' }),
  'dispute.supplemented': () => ({ text: 'You added to the dispute' }),
  'dispute.proved': () => ({ text: 'A proof in the dispute was run' }),
  'dispute.escalated': () => ({ text: 'The dispute went to the operator' }),
  'dispute.reassessed': () => ({ text: 'The work was assessed again for the dispute' }),
  'dispute.resolved': ({ outcome }) => ({ text: outcomes[String(outcome)] ?? 'The dispute was decided' }),
  'assessment.appealed': () => ({ text: 'The agent appealed the verdict' }),
  'assessment.appeal_decided': ({ status }) => ({
    text: status === 'upheld' ? 'The appeal succeeded; you are not charged again' : 'The appeal was rejected',
  }),
  'pull_request.opened': ({ url }) => withNote('A pull request was opened', text(url)),
  'pull_request.failed': ({ message }) => withNote('The pull request could not be opened', text(message)),
};

/** What an event says to the submitter. */
export const told = ({ eventType, data }: TaskEvent): Told => tellers[eventType]?.(data) ?? { text: words(eventType) };
