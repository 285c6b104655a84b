import { z } from 'zod';
import { pool, wallet } from './holdings.ts';
import { id } from './ids.ts';
import { positiveCents } from './money.ts';
import { operation } from './operation.ts';

const ofAgent = z.object({ agentId: z.string() });
const amountBody = z.strictObject({ amount: positiveCents });
const move = {
  id: id('transaction').meta({ description: 'Id of the transfer in the statements of both sides' }),
  amount: positiveCents,
};

/** How owners move credits among their pool and the wallets of their agents. Part of the vault. */
export const walletOperations = {
  'vault.allocate': operation({
    id: 'vault.allocate',
    method: 'POST',
    path: '/vault/wallets/:agentId/allocate',
    auth: 'owner',
    area: 'general',
    tx: 'ledger',
    summary: "Move credits from the own pool to an own agent's wallet, which is created if needed",
    params: ofAgent,
    body: amountBody,
    reply: { status: 200, schema: z.object({ ...move, pool, wallet }) },
    errors: [
      'VALIDATION_ERROR',
      'AGENT_NOT_FOUND',
      'NOT_AGENT_OWNER',
      'WALLET_FLAGGED',
      'WRONG_STATE',
      'INSUFFICIENT_BALANCE',
    ],
  }),
  'vault.reclaim': operation({
    id: 'vault.reclaim',
    method: 'POST',
    path: '/vault/wallets/:agentId/reclaim',
    auth: 'owner',
    area: 'general',
    tx: 'ledger',
    summary: "Move available credits of an own agent's wallet back to the pool",
    params: ofAgent,
    body: amountBody,
    reply: { status: 200, schema: z.object({ ...move, pool, wallet }) },
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WALLET_FLAGGED', 'INSUFFICIENT_BALANCE'],
  }),
  'vault.transfer': operation({
    id: 'vault.transfer',
    method: 'POST',
    path: '/vault/transfers',
    auth: 'owner',
    area: 'general',
    tx: 'ledger',
    summary: 'Move available credits from one own agent to another',
    body: z.strictObject({ fromAgentId: id('agent'), toAgentId: id('agent'), amount: positiveCents }),
    reply: { status: 201, schema: z.object({ ...move, from: wallet, to: wallet }) },
    errors: [
      'VALIDATION_ERROR',
      'AGENT_NOT_FOUND',
      'NOT_AGENT_OWNER',
      'WALLET_FLAGGED',
      'SAME_WALLET',
      'WRONG_STATE',
      'INSUFFICIENT_BALANCE',
    ],
  }),
} as const;
