import { categoryOf, type EventType, gate, hasBuyerLost, type TaskType, toUuid } from '@agora-market/contract';
import type { LoggedRow } from '../../events/index.ts';
import type { Deal } from './buyer.ts';
import type { Ended, Fact } from './fact.ts';

/** Credits that went from a buyer to the owner of an agent, or back (below zero), in cents. */
export interface Paid {
  kind: 'paid';
  agentId: string;
  buyerId: string;
  at: number;
  spent: number;
  earned: number;
}

/** Something that the record of a buyer counts. */
export interface Bought {
  kind: 'bought';
  taskId: string;
  agentId: string;
  buyerId: string;
  at: number;
  as: Deal;
}

/** What the log says that reputations are made of. */
export type Entry = Fact | Paid | Bought;

/** The events that say anything of reputations, as they are stored. */
export const eventTypesOfReputation: readonly EventType[] = [
  'task.completed',
  'task.failed',
  'task.accepted',
  'task.refunded',
  'task.unassigned',
  'feedback.received',
  'credits.refunded',
  'dispute.resolved',
  'assessment.appeal_decided',
  'agreement.completed',
  'agreement.cancelled',
  'agent.reactivated',
  'reputation.day_closed',
  'pool.topped_up',
  'payment_method.added',
  'payout_account.connected',
  'payout_account.changed',
];

/** Whom an event is about, which every event of a task says. */
interface About {
  taskId: string;
  agentId: string;
  buyerId: string;
  at: number;
}

type Data = Record<string, unknown>;

const numberIn = (data: Data, name: string): number | null => {
  const value = data[name];
  return typeof value === 'number' ? value : null;
};

const started = ['executing', 'quality_check'];

/** How a task failed, where that says something of its agent. Older events say only by which verb it failed. */
function failureOf({ verb, from, answerable }: Data): Ended['how'] | null {
  if (answerable === 'platform' || answerable === 'nobody') return null;
  if (from !== undefined && !started.includes(from as string)) return null;
  if (verb === 'reject') return 'rejected';
  return verb === 'fail' || (verb === 'expire' && from !== undefined) ? 'failed' : null;
}

/** The gate's score where it measured something. Older events do not say; there the score of unmeasured work tells. */
function measuredIn(data: Data): number | null {
  const score = numberIn(data, 'qualityScore');
  return (data.isMeasured ?? score !== gate.neutralScore) ? score : null;
}

const ended = (about: About, how: Ended['how'], data: Data): Ended => ({
  kind: 'ended',
  category: categoryOf((data.taskType ?? 'general') as TaskType),
  how,
  ...(data.answerable === 'buyer' && { answerable: 'buyer' }),
  quality: measuredIn(data),
  price: numberIn(data, 'price') ?? 0,
  waited: numberIn(data, 'waited'),
  ...(data.isDirect === true && { isDirect: true }),
  ...about,
});

function failed(about: About, data: Data): Entry[] {
  const how = failureOf(data);
  // What is the agent's own matter says nothing of the buyer.
  if (how === 'rejected' && data.answerable === 'buyer') return [...bought(about, 'rejected'), ended(about, how, data)];
  if (how !== null) return [ended(about, how, data)];
  const { agentId, at } = about;
  // The last agent of a task that was routed, for those before it have an event of their own.
  return data.verb === 'expire' && data.from === 'routing' ? [{ kind: 'unanswered', agentId, at }] : [];
}

function resolved(about: About, data: Data): Entry[] {
  const { price, refunded, outcome, decidedBy } = data as Record<'outcome' | 'decidedBy', string | undefined> &
    Record<'price' | 'refunded', number | undefined>;
  if (outcome === 'split' && refunded && price) {
    return [{ kind: 'revised', as: 'shared', share: refunded / price, ...about }];
  }
  const agentId = typeof data.loser === 'string' ? toUuid('agent', data.loser) : null;
  return [
    ...(hasBuyerLost({ outcome, decidedBy }) ? bought(about, 'disputeLost') : []),
    ...(agentId === null ? [] : [{ kind: 'dispute_lost', agentId, at: about.at } as const]),
  ];
}

const paid = ({ agentId, buyerId, at }: About, spent: number, earned: number): Paid => ({
  kind: 'paid',
  agentId,
  buyerId,
  at,
  spent,
  earned,
});

/** Older events name no buyer. */
const bought = (about: About, as: Deal): Bought[] => (about.buyerId === '' ? [] : [{ kind: 'bought', ...about, as }]);

/** The failure counts as never happened, for the agent and for its buyer. */
const struck = (about: About): Entry[] => [...bought(about, 'struck'), { kind: 'revised', as: 'struck', ...about }];

function paidBack(about: About, data: Data): Paid {
  const amount = numberIn(data, 'amount') ?? 0;
  return paid(about, -amount, -(numberIn(data, 'payout') ?? amount));
}

function feedback(about: About, data: Data): Entry[] {
  const { direction: as, replaced = null } = data as { direction: 'up' | 'down'; replaced?: 'up' | 'down' | null };
  return [{ kind: 'revised', as, replaced, ...about }];
}

/** An agreement of the legacy exchange counts as a task does whose submitter named the agent. */
const ofAgreement = (about: About, data: Data): About => ({
  ...about,
  taskId: toUuid('agreement', String(data.agreementId)) ?? '',
});

function agreementCompleted(agreement: About, data: Data): Entry[] {
  const about = ofAgreement(agreement, data);
  const price = numberIn(data, 'price') ?? 0;
  const refunded = numberIn(data, 'refunded') ?? 0;
  const outcome: Entry[] = [
    paid(about, price - refunded, numberIn(data, 'payout') ?? 0),
    ended(about, 'passed', { ...data, isDirect: true }),
  ];
  return refunded === 0 ? outcome : [...outcome, { kind: 'revised', as: 'shared', share: refunded / price, ...about }];
}

/** A withdrawal costs nothing, unless the seller withdraws too often; then it weighs like a task left unanswered. */
function agreementCancelled(agreement: About, data: Data): Entry[] {
  const { agentId, at } = agreement;
  if (data.because === 'withdrawn') return data.penalty === true ? [{ kind: 'unanswered', agentId, at }] : [];
  const how = data.because === 'rejected' ? 'rejected' : 'failed';
  return [
    {
      ...ended(ofAgreement(agreement, data), how, { ...data, isDirect: true }),
      ...(how === 'rejected' && { answerable: 'buyer' }),
    },
  ];
}

const readings: Partial<Record<EventType, (about: About, data: Data) => Entry[]>> = {
  'credits.refunded': (about, data) => [paidBack(about, data)],
  'task.completed': (about, data) => [
    paid(about, numberIn(data, 'price') ?? 0, numberIn(data, 'payout') ?? 0),
    ...bought(about, 'passed'),
    ended(about, 'passed', data),
  ],
  'task.failed': failed,
  'task.accepted': (about, data) => [
    paid(about, numberIn(data, 'price') ?? 0, numberIn(data, 'payout') ?? 0),
    ...bought(about, 'taken'),
    ...(data.isStruck === true ? struck(about) : []),
  ],
  'task.refunded': (about, data) => [
    paidBack(about, data),
    ...(data.because === 'dispute' ? [] : bought(about, 'refunded')),
    { kind: 'revised', as: 'refunded', isRuled: data.because === 'dispute', ...about },
  ],
  'task.unassigned': ({ agentId, at }, { because }) =>
    because === 'not_accepted' ? [{ kind: 'unanswered', agentId, at }] : [],
  'feedback.received': feedback,
  'dispute.resolved': resolved,
  'assessment.appeal_decided': (about, { status }) => (status === 'upheld' ? struck(about) : []),
  'agreement.completed': agreementCompleted,
  'agreement.cancelled': agreementCancelled,
  // Where a suspension was lifted by the platform, the reader itself said so.
  'agent.reactivated': ({ agentId, at }, { because }) =>
    because === undefined ? [{ kind: 'forgiven', agentId, at }] : [],
};

/** The part of a stored event that says anything of reputations. */
export type Told = Pick<LoggedRow, 'type' | 'at' | 'agentId' | 'taskId' | 'ownerId' | 'data'>;

/** What a stored event says of reputations. */
export function entriesOf({ type, at, agentId, taskId, ownerId, data }: Told): Entry[] {
  if (agentId === null) return [];
  // Older events about appeals do not say who had bought the task.
  const about = { taskId: taskId ?? '', agentId, buyerId: ownerId ?? '', at: Date.parse(at) };
  return readings[type]?.(about, data) ?? [];
}
