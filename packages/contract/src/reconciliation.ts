import { z } from 'zod';
import { id } from './ids.ts';
import { audited, operation, page, pageQuery, timestamp } from './operation.ts';

/** What reconciliation finds: of accounts, charges, their reversals and payouts. */
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
    subject: z.string().meta({ description: "The account, our id or the processor's name of what does not fit" }),
    agentId: id('agent').nullable().meta({ description: 'Whose wallet it is about, which is then flagged' }),
    ownerId: id('owner').nullable(),
    here: z.int().nullable().meta({ description: 'Cents in our books; null where there is nothing' }),
    there: z
      .int()
      .nullable()
      .meta({ description: 'Cents by the entries or the processor; null where there is nothing' }),
    status: z.enum(findingStatuses).meta({
      description: '`settled`: the run that found it has booked it; `gone`: a later run found it in order',
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
    records: z.int().meta({ description: 'Records of the processor that were compared' }),
    processor: z.enum(['checked', 'unreachable', 'not_configured']),
    settled: z.int().meta({ description: 'Findings that the run put right itself, from the records of the processor' }),
    raised: z.int().meta({ description: 'Findings that were not known before, without those settled' }),
    open: z.int().meta({ description: 'Findings that are open now' }),
  })
  .meta({ id: 'Reconciliation' });

const clearingBody = z.strictObject(audited('Why it is in order, for'));

const operators = { auth: 'operator', area: 'general' } as const;

/** The operator compares the books with entries and with the processor, and clears what is in order. Part of the vault. */
export const reconciliationOperations = {
  'vault.listFindings': operation({
    ...operators,
    id: 'vault.listFindings',
    method: 'GET',
    path: '/vault/reconciliation',
    tx: 'read',
    summary: 'What reconciliation found, newest first',
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
    summary: 'Recompute all balances and compare the books with those of the payment processor, now',
    description:
      'Charges, refunds and disputes whose news never came are booked, and told as `settled`. The server does it by itself as well (RECONCILE_EVERY_MS). Takes as long as the ledger is large; nothing waits for it.',
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
    summary: 'Declare a finding in order; it comes back only if the difference changes',
    description:
      'Findings about a wallet are cleared with the flag of the wallet. What `reversal_uncovered` says is missing is ' +
      'owed no more once it is cleared.',
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
    summary: 'Take the flag off a wallet, so that it can be withdrawn from again',
    description: 'Clears all open findings about the wallet; each comes back only if its difference changes.',
    params: z.object({ agentId: z.string() }),
    body: clearingBody,
    reply: { status: 200, schema: walletFlag },
    errors: ['VALIDATION_ERROR', 'WRONG_STATE', 'AGENT_NOT_FOUND'],
  }),
} as const;
