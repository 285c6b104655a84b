import { type EventType, toId } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import type { Tx } from '../platform/index.ts';
import type { AgreementRow } from './agreement-sql.ts';
import type { RequestRow } from './request-sql.ts';

/** Logs an event of a request; the agent is who did it. */
export const logRequest = (
  tx: Tx,
  request: Pick<RequestRow, 'id' | 'buyerOwnerId' | 'correlationId'>,
  event: { type: Extract<EventType, `request.${string}` | `bid.${string}`>; agentId: string; at: Date },
  data: Record<string, unknown> = {},
) =>
  appendEvent(tx, {
    ...event,
    district: 'exchange',
    ownerId: request.buyerOwnerId,
    correlationId: request.correlationId,
    data: { requestId: toId('workRequest', request.id), ...data },
  });

/** Logs an event of an agreement: the owner is the buyer's, the agent is the seller. Money is cents. */
export const logAgreement = (
  tx: Tx,
  agreement: Pick<
    AgreementRow,
    'id' | 'requestId' | 'buyerOwnerId' | 'sellerAgentId' | 'correlationId' | 'category' | 'price'
  >,
  event: { type: Extract<EventType, `agreement.${string}`>; at: Date },
  data: Record<string, unknown> = {},
) =>
  appendEvent(tx, {
    ...event,
    district: 'exchange',
    agentId: agreement.sellerAgentId,
    ownerId: agreement.buyerOwnerId,
    correlationId: agreement.correlationId,
    data: {
      agreementId: toId('agreement', agreement.id),
      requestId: toId('workRequest', agreement.requestId),
      taskType: agreement.category,
      price: agreement.price,
      ...data,
    },
  });
