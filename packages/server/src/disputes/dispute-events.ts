import { type EventType, toId } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import type { Tx } from '../platform/index.ts';
import type { DisputeRow } from './sql.ts';

type About = Pick<DisputeRow, 'id' | 'taskId' | 'agentId' | 'ownerId' | 'correlationId'>;

/** Whose event it is that something happened in a dispute, and when. */
export const disputeEventOf = ({ taskId, agentId, ownerId, correlationId }: About, at: Date) => {
  return { at, correlationId, taskId, agentId, ownerId };
};

/** Logs an event about a dispute for its parties and auditors, without any statements. */
export const appendDisputeEvent = (
  tx: Tx,
  about: About,
  type: Extract<EventType, `dispute.${string}`>,
  data: Record<string, unknown>,
  at: Date,
) =>
  appendEvent(tx, {
    ...disputeEventOf(about, at),
    type,
    district: 'courts',
    data: { disputeId: toId('dispute', about.id), ...data },
  });
