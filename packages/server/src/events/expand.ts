import type { EventType, TaskStatus } from '@agora-market/contract';
import { eventUuid } from './event-id.ts';

/** An event as it is stored: a change of a task carries the credits that moved with it. */
export interface StoredEvent {
  seq: number;
  type: EventType;
  district: string;
  at: string;
  correlationId: string;
  data: Record<string, unknown>;
}

/** An event for readers. `seq` orders all events and is the position to continue from. */
export interface ToldEvent extends StoredEvent {
  id: string;
}

type Part = Pick<StoredEvent, 'type' | 'data'> & { district?: string };

/** The most parts that a stored event can have. */
const maxParts = 4;

/** Version 0.1.0 stored no delivery that was judged at once; the event of its end has the status in between. */
const delivery = (status: unknown): Part[] =>
  status === undefined || status === null ? [] : [{ type: 'task.delivered', data: { status } }];

/**
 * The events of a stored row, in order. A task and the credits of its step change together and are written as one row,
 * because each row costs a step about 8 µs.
 */
const parts: Partial<Record<EventType, (data: Record<string, unknown>) => Part[]>> = {
  'task.submitted': ({ taskType, maxBudget, status, price, until }) => [
    { type: 'task.submitted', data: { taskType, maxBudget } },
    { type: 'credits.held', district: 'vault', data: { amount: maxBudget } },
    until === undefined
      ? { type: 'task.assigned', data: { status, price } }
      : { type: 'task.queued', data: { status, until } },
  ],
  'task.completed': ({ price, fee, payout, delivered, ...data }) => [
    ...delivery(delivered),
    { type: 'credits.charged', district: 'vault', data: { price, fee, payout } },
    { type: 'task.completed', data: { ...data, price } },
  ],
  'task.accepted': ({ price, fee, payout, ...data }) => [
    { type: 'credits.charged', district: 'vault', data: { price, fee, payout } },
    { type: 'task.accepted', data: { ...data, price } },
  ],
  'task.failed': ({ amount, delivered, ...data }) => [
    ...delivery(delivered),
    { type: 'credits.released', district: 'vault', data: { amount } },
    { type: 'task.failed', data },
  ],
  'task.refunded': ({ amount, payout, ...data }) => [
    { type: 'credits.refunded', district: 'vault', data: { amount, payout } },
    { type: 'task.refunded', data },
  ],
};

/** Expands stored rows into events, each with its own number. */
export function expandEvents<E extends StoredEvent>(stored: E[]): (E & { id: string })[] {
  return stored.flatMap((event) => {
    const told: Part[] = parts[event.type]?.(event.data) ?? [event];
    return told.map((part, at) => {
      const seq = event.seq * maxParts + at;
      return { ...event, ...part, seq, id: eventUuid(event.at, seq) };
    });
  });
}

/** The status of the task after an event. Other things have a status too, for example an appeal. */
export const taskStatusIn = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): TaskStatus | undefined =>
  type.startsWith('task.') ? (data.status as TaskStatus | undefined) : undefined;

/** The number of the stored row to read from, so that events up to `seq` come before it. */
export const storedFrom = (seq: number): number => Math.floor(seq / maxParts);
