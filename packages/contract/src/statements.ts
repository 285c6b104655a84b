import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { instant, operation, page, pageQuery, queryInt, timestamp } from './operation.ts';
import { accountKinds, transferCauses } from './vault.ts';

const transaction = z
  .object({
    id: id('transaction'),
    cause: z.enum(transferCauses),
    account: z.enum(accountKinds),
    amount: z.int().meta({ description: 'Signed cents; a negative amount leaves the account' }),
    balanceBefore: cents,
    balanceAfter: cents,
    taskId: id('task').nullable(),
    counterparty: z.enum(accountKinds).nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Transaction' });

/** Filters of a list of movements and its export; all given filters must match. */
const filters = <const Kinds extends readonly string[]>(kinds: Kinds) => ({
  cause: z.enum(transferCauses).optional(),
  account: z.enum(kinds).optional(),
  taskId: id('task').optional(),
  from: instant('Movements at this time or later'),
  to: instant('Movements before this time'),
  minAmount: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'Cents without their sign' }),
  maxAmount: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'Cents without their sign' }),
});

const poolKinds = ['pool_available', 'pool_held'] as const;
const walletKinds = ['wallet_allocated', 'wallet_available', 'wallet_escrowed'] as const;
const poolFilters = filters(poolKinds);
const walletFilters = filters(walletKinds);

const general = { method: 'GET', area: 'general', tx: 'read' } as const;
const owners = { ...general, auth: 'owner' } as const;
const agents = { ...general, auth: 'agent' } as const;
const ofAgent = z.object({ agentId: z.string() });
const ofMonth = z.object({ month: z.string().meta({ examples: ['2026-11'] }) });
const movements = { status: 200, schema: page(transaction) } as const;
const csv = { status: 200, contentType: 'text/csv' } as const;

const aboutPages =
  'With `cause` or amounts given, a page may be short or empty although more follow: go on while there is a `nextCursor`.';
const aboutCsv =
  'RFC 4180 with a header line, newest first, of any length. Cells that a spreadsheet would take for a formula start with an apostrophe.';
const atQuery = z.strictObject({ at: instant('Now, if left out or in the future') });

const poolBalance = z
  .object({ at: timestamp, balance: cents, held: cents, currency: z.literal('USD') })
  .meta({ id: 'PoolBalance' });
const walletBalance = z
  .object({
    agentId: id('agent'),
    at: timestamp,
    available: cents.meta({ description: 'Allocated and earned cents together' }),
    allocated: cents.meta({ description: 'Cents of them that the owner allocated' }),
    escrowed: cents,
    currency: z.literal('USD'),
  })
  .meta({ id: 'WalletBalance' });

const monthlyStatement = z
  .object({
    month: z.string(),
    from: timestamp,
    to: timestamp.meta({ description: 'End of the month (exclusive), or now if the month is not over' }),
    complete: z.boolean().meta({ description: 'The month is over' }),
    currency: z.literal('USD'),
    accounts: z.array(
      z.object({
        account: z.enum([...poolKinds, ...walletKinds]),
        agentId: id('agent').nullable().meta({ description: 'Whose wallet it is; null for the pool' }),
        agentName: z.string().nullable(),
        openingBalance: cents,
        closingBalance: cents,
        causes: z.array(
          z.object({
            cause: z.enum(transferCauses),
            count: z.int(),
            amount: z.int().meta({ description: 'Sum of signed cents' }),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'MonthlyStatement' });

const takings = {
  fees: z.int().meta({ description: 'Cents of fees charged' }),
  feesRefunded: z.int().meta({ description: 'Cents of fees returned' }),
  disputeCosts: z.int().meta({ description: 'Cents that the dispute reserve paid instead of agents' }),
  netRevenue: z.int().meta({ description: 'Cents of fees charged, less fees returned and dispute costs' }),
  volume: z.int().meta({ description: 'Cents of prices charged' }),
  volumeRefunded: z.int().meta({ description: 'Cents of prices returned' }),
  charges: z.int().meta({ description: 'Tasks charged' }),
  refunds: z.int().meta({ description: 'Tasks refunded, fully or in part' }),
};
const day = (description: string) =>
  z.iso
    .date()
    .regex(/^20/, 'must be a day from 2000 to 2099')
    .optional()
    .meta({ description, examples: ['2026-11-01'] });

/** Movements, balances and statements for owners, agents and the operator. Part of the vault. */
export const statementOperations = {
  'vault.poolTransactions': operation({
    ...owners,
    id: 'vault.poolTransactions',
    path: '/vault/pool/transactions',
    summary: "Movements of the caller's pool, newest first",
    description: aboutPages,
    query: z.strictObject({ ...pageQuery, ...poolFilters }),
    reply: movements,
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.exportPoolTransactions': operation({
    ...owners,
    id: 'vault.exportPoolTransactions',
    path: '/vault/pool/transactions/export',
    summary: "Movements of the caller's pool as CSV",
    description: aboutCsv,
    query: z.strictObject(poolFilters),
    reply: csv,
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.poolBalance': operation({
    ...owners,
    id: 'vault.poolBalance',
    path: '/vault/pool/balance',
    summary: "Balance of the caller's pool at any instant, from its entries",
    query: atQuery,
    reply: { status: 200, schema: poolBalance },
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.walletTransactions': operation({
    ...agents,
    id: 'vault.walletTransactions',
    path: '/vault/wallet/transactions',
    summary: "Movements of the calling agent's wallet, newest first",
    description: aboutPages,
    query: z.strictObject({ ...pageQuery, ...walletFilters }),
    reply: movements,
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.exportWalletTransactions': operation({
    ...agents,
    id: 'vault.exportWalletTransactions',
    path: '/vault/wallet/transactions/export',
    summary: "Movements of the calling agent's wallet as CSV",
    description: aboutCsv,
    query: z.strictObject(walletFilters),
    reply: csv,
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.walletBalance': operation({
    ...agents,
    id: 'vault.walletBalance',
    path: '/vault/wallet/balance',
    summary: "Balance of the calling agent's wallet at any instant, from its entries",
    query: atQuery,
    reply: { status: 200, schema: walletBalance },
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.agentWalletTransactions': operation({
    ...owners,
    id: 'vault.agentWalletTransactions',
    path: '/vault/wallets/:agentId/transactions',
    summary: "Movements of an own agent's wallet, newest first",
    description: aboutPages,
    params: ofAgent,
    query: z.strictObject({ ...pageQuery, ...walletFilters }),
    reply: movements,
    errors: ['VALIDATION_ERROR', 'NOT_AGENT_OWNER', 'AGENT_NOT_FOUND'],
  }),
  'vault.exportAgentWalletTransactions': operation({
    ...owners,
    id: 'vault.exportAgentWalletTransactions',
    path: '/vault/wallets/:agentId/transactions/export',
    summary: "Movements of an own agent's wallet as CSV",
    description: aboutCsv,
    params: ofAgent,
    query: z.strictObject(walletFilters),
    reply: csv,
    errors: ['VALIDATION_ERROR', 'NOT_AGENT_OWNER', 'AGENT_NOT_FOUND'],
  }),
  'vault.agentWalletBalance': operation({
    ...owners,
    id: 'vault.agentWalletBalance',
    path: '/vault/wallets/:agentId/balance',
    summary: "Balance of an own agent's wallet at any instant, from its entries",
    params: ofAgent,
    query: atQuery,
    reply: { status: 200, schema: walletBalance },
    errors: ['VALIDATION_ERROR', 'NOT_AGENT_OWNER', 'AGENT_NOT_FOUND'],
  }),
  'vault.monthlyStatement': operation({
    ...owners,
    id: 'vault.monthlyStatement',
    path: '/vault/statements/:month',
    summary: 'Monthly statement (UTC) of the pool and wallets: opening balance, sums by cause, closing balance',
    params: ofMonth,
    reply: { status: 200, schema: monthlyStatement },
    errors: ['STATEMENT_NOT_FOUND'],
  }),
  'vault.exportMonthlyStatement': operation({
    ...owners,
    id: 'vault.exportMonthlyStatement',
    path: '/vault/statements/:month/export',
    summary: 'The monthly statement as CSV',
    description: 'One line each for the opening balance, every cause and the closing balance of each account.',
    params: ofMonth,
    reply: csv,
    errors: ['STATEMENT_NOT_FOUND'],
  }),
  'vault.revenue': operation({
    ...general,
    auth: 'operator',
    id: 'vault.revenue',
    path: '/vault/revenue',
    summary: 'What the platform earned, by UTC day or month',
    query: z.strictObject({
      from: day('First day. Default: the first of this month'),
      to: day('Last day. Default: today'),
      by: z.enum(['day', 'month']).default('day'),
    }),
    reply: {
      status: 200,
      schema: z
        .object({
          from: z.iso.date(),
          to: z.iso.date(),
          by: z.enum(['day', 'month']),
          currency: z.literal('USD'),
          total: z.object(takings),
          periods: z.array(z.object({ period: z.string(), ...takings })),
        })
        .meta({ id: 'Revenue' }),
    },
    errors: ['VALIDATION_ERROR'],
  }),
} as const;
