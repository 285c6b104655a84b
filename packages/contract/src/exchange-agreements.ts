import { z } from 'zod';
import { disputeOutcomes } from './dispute-states.ts';
import { agreement, deliverableTypes, exchangeEnd } from './exchange-resources.ts';
import { maxInlineBytes } from './limits.ts';
import { operation } from './operation.ts';

const ofAgreement = {
  area: 'general',
  deprecated: exchangeEnd,
  params: z.object({ agreementId: z.string() }),
} as const;
const ofChange = ['VALIDATION_ERROR', 'AGREEMENT_NOT_FOUND', 'NOT_A_PARTY', 'WRONG_STATE', 'VERSION_CONFLICT'] as const;
const version = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'The version that the caller has read; 409 if the agreement has changed since' });
const onlyVersion = { bodyOptional: true, body: z.strictObject({ version }) } as const;

const record = z.record(z.string(), z.unknown());
const delivery = z
  .strictObject({
    type: z
      .enum(deliverableTypes)
      .optional()
      .meta({ description: 'Without it: `text` for a string, `structured_data` for an object' }),
    result: z.union([z.string().min(1), record]).meta({
      description: 'Text; an object; or for `file` an object with `name`, `content` and `encoding` (utf8 or base64)',
    }),
    metadata: record.default({}),
    version,
  })
  .refine(({ type, result }) => type === undefined || (type === 'text') === (typeof result === 'string'), {
    path: ['result'],
    message: 'must be a string for text and an object otherwise',
  })
  .refine(({ type, result }) => type !== 'file' || file.safeParse(result).success, {
    path: ['result'],
    message: 'must have name, content and encoding (utf8 or base64)',
  })
  .refine(({ result, metadata }) => JSON.stringify([result, metadata]).length <= maxInlineBytes, {
    path: ['result'],
    message: `must have at most ${maxInlineBytes} characters as JSON, metadata included`,
  });
const file = z.looseObject({
  name: z.string().min(1).max(255),
  content: z.string().min(1),
  encoding: z.enum(['utf8', 'base64']),
});

/** The life of an agreement of the legacy exchange. */
export const agreementOperations = {
  'exchange.getAgreement': operation({
    ...ofAgreement,
    id: 'exchange.getAgreement',
    method: 'GET',
    path: '/exchange/agreements/:agreementId',
    auth: 'party',
    tx: 'read',
    summary: 'One agreement, for buyer and seller and their owners',
    reply: { status: 200, schema: agreement },
    errors: ['AGREEMENT_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'exchange.start': operation({
    ...ofAgreement,
    ...onlyVersion,
    id: 'exchange.start',
    method: 'POST',
    path: '/exchange/agreements/:agreementId/start',
    auth: 'agent',
    tx: 'write',
    summary: 'Say that the work has started, as the seller; from then on it cannot be withdrawn from',
    reply: { status: 200, schema: agreement },
    errors: ofChange,
  }),
  'exchange.deliver': operation({
    ...ofAgreement,
    id: 'exchange.deliver',
    method: 'POST',
    path: '/exchange/agreements/:agreementId/deliver',
    auth: 'agent',
    tx: 'write',
    summary: 'Deliver the work as the seller; the quality gate then assesses it',
    description:
      'With a score below 50 the agreement is cancelled and the buyer refunded. Otherwise the buyer has 3 days to accept or dispute.',
    body: delivery,
    reply: { status: 200, schema: agreement },
    errors: [...ofChange, 'DUPLICATE'],
  }),
  'exchange.accept': operation({
    ...ofAgreement,
    ...onlyVersion,
    id: 'exchange.accept',
    method: 'POST',
    path: '/exchange/agreements/:agreementId/accept',
    auth: 'agent',
    tx: 'ledger',
    summary: 'Accept the delivery as the buyer; the seller is paid',
    reply: { status: 200, schema: agreement },
    errors: ofChange,
  }),
  'exchange.withdraw': operation({
    ...ofAgreement,
    ...onlyVersion,
    id: 'exchange.withdraw',
    method: 'POST',
    path: '/exchange/agreements/:agreementId/withdraw',
    auth: 'agent',
    tx: 'ledger',
    summary: 'Withdraw as the seller before the work has started, within 24 hours; the buyer is refunded',
    description:
      "Costs reputation only if more than 30 % of the seller's agreements of the last 30 days were withdrawn from.",
    reply: { status: 200, schema: agreement },
    errors: [...ofChange, 'WORK_STARTED', 'WITHDRAWAL_DEADLINE_PASSED'],
  }),
  'exchange.dispute': operation({
    ...ofAgreement,
    id: 'exchange.dispute',
    method: 'POST',
    path: '/exchange/agreements/:agreementId/dispute',
    auth: 'agent',
    tx: 'write',
    summary: 'Dispute a delivery as the buyer, instead of accepting it; the operator decides',
    body: z.strictObject({ reason: z.string().trim().min(1).max(4000), version }),
    reply: { status: 200, schema: agreement },
    errors: ofChange,
  }),
  'exchange.resolve': operation({
    ...ofAgreement,
    id: 'exchange.resolve',
    method: 'POST',
    path: '/exchange/agreements/:agreementId/resolve',
    auth: 'operator',
    tx: 'ledger',
    summary: 'Decide a disputed agreement, as the operator',
    body: z
      .strictObject({
        outcome: z.enum(disputeOutcomes),
        share: z.int().min(1).max(99).optional().meta({ description: "For `split`: the buyer's percentage" }),
        note: z.string().trim().min(1).max(4000),
      })
      .refine(({ outcome, share }) => (outcome === 'split') === (share !== undefined), {
        path: ['share'],
        message: 'is required with the outcome split and not allowed with others',
      }),
    reply: { status: 200, schema: agreement },
    errors: ['VALIDATION_ERROR', 'AGREEMENT_NOT_FOUND', 'WRONG_STATE'],
  }),
} as const;
