import { z } from 'zod';
import { id } from './ids.ts';
import { audited, operation, page, pageQuery, timestamp } from './operation.ts';

/** Kinds of findings: about accounts, charges, their reversals, and payouts. */
export const findingKinds = [
  'balance',
  'charge_missing_here',
  'charge_missing_there',
  'charge_amount',
  'charge_twice',
  'reversal_missing_here',
  'reversal_missing_there',
  'reversal_amount',
  'reversal_uncovered',
  'payout_missing_here',
  'payout_missing_there',
  'payout_amount',
  'payout_twice',
] as const;
export type FindingKind = (typeof findingKinds)[number];

const findingStatuses = ['open', 'settled', 'cleared', 'gone'] as const;

const clearing = {
  clearedAt: timestamp.nullable(),
  clearedBy: z.string().nullable(),
  clearedReason: z.string().nullable(),
};

const finding = z
  .object({
    id: id('finding'),
    kind: z.enum(findingKinds),
    subject: z
      .string()
      .meta({ description: 'What does not match: the account, the id here or the id at the processor' }),
    agentId: id('agent').nullable().meta({ description: 'The agent whose wallet is affected and flagged' }),
    ownerId: id('owner').nullable(),
    here: z.int().nullable().meta({ description: 'Cents in the ledger; null if it has no record' }),
    there: z
      .int()
      .nullable()
      .meta({ description: 'Cents by the entries or by the processor; null if there is no record' }),
    status: z.enum(findingStatuses).meta({
      description: '`settled`: the run that found it also booked it. `gone`: a later run found no difference',
    }),
    foundAt: timestamp,
    ...clearing,
  })
  .meta({ id: 'Finding' });

const walletFlag = z
  .object({
    agentId: id('agent'),
    flagged: z.boolean(),
    reason: z.string().meta({ description: 'Why it was flagged' }),
    foundAt: timestamp,
    ...clearing,
  })
  .meta({ id: 'WalletFlag' });

const run = z
  .object({
    id: id('reconciliation'),
    startedAt: timestamp,
    finishedAt: timestamp,
    accounts: z.int().meta({ description: 'Accounts whose balance was recomputed from their entries' }),
    records: z.int().meta({ description: 'Processor records that were compared' }),
    processor: z.enum(['checked', 'unreachable', 'not_configured']),
    settled: z.int().meta({ description: "Findings that the run corrected itself from the processor's records" }),
    raised: z.int().meta({ description: 'New findings that were not settled' }),
    open: z.int().meta({ description: 'Findings that are open now' }),
  })
  .meta({ id: 'Reconciliation' });

const clearingBody = z.strictObject(audited('Why it is in order, for'));

const operators = { auth: 'operator', area: 'general' } as const;

/** The operator compares balances with entries and with the processor, and clears findings. Part of the vault. */
export const reconciliationOperations = {
  'vault.listFindings': operation({
    ...operators,
    id: 'vault.listFindings',
    method: 'GET',
    path: '/vault/reconciliation',
    tx: 'read',
    summary: 'Reconciliation findings, newest first',
    query: z.strictObject({ ...pageQuery, status: z.enum(findingStatuses).optional() }),
    reply: { status: 200, schema: page(finding) },
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.reconcile': operation({
    ...operators,
    id: 'vault.reconcile',
    method: 'POST',
    path: '/vault/reconciliation/run',
    tx: 'external',
    summary: 'Run a reconciliation now: recompute all balances and compare them with the payment processor',
    description:
      'Charges, refunds and disputes that the processor never reported are booked and returned as `settled`. The server also runs it on a schedule (RECONCILE_EVERY_MS). A large ledger takes longer; nothing waits for the run.',
    reply: { status: 200, schema: run },
    errors: ['RECONCILIATION_IN_PROGRESS'],
  }),
  'vault.clearFinding': operation({
    ...operators,
    id: 'vault.clearFinding',
    method: 'POST',
    path: '/vault/reconciliation/:findingId/clear',
    // For it may let a debt go.
    tx: 'ledger',
    summary: 'Clear a finding; it comes back only if the difference changes',
    description:
      'Findings about a wallet are cleared with the flag of the wallet. Clearing `reversal_uncovered` cancels the debt ' +
      'that it names.',
    params: z.object({ findingId: z.string() }),
    body: clearingBody,
    reply: { status: 200, schema: finding },
    errors: ['VALIDATION_ERROR', 'WRONG_STATE', 'FINDING_NOT_FOUND'],
  }),
  'vault.clearFlag': operation({
    ...operators,
    id: 'vault.clearFlag',
    method: 'POST',
    path: '/vault/wallets/:agentId/clear-flag',
    tx: 'write',
    summary: 'Remove the flag from a wallet, so that withdrawals work again',
    description: 'Clears all open findings about the wallet. Each comes back only if its difference changes.',
    params: z.object({ agentId: z.string() }),
    body: clearingBody,
    reply: { status: 200, schema: walletFlag },
    errors: ['VALIDATION_ERROR', 'WRONG_STATE', 'AGENT_NOT_FOUND'],
  }),
} as const;
