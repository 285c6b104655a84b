import { z } from 'zod';
import { dollars, listText } from '../text.ts';
import { defineTool, fewRows, fieldsOf, replyOf } from '../tool.ts';
import { whichAgent } from './agents.ts';

const pool = replyOf('vault.getPool').shape;
const wallet = replyOf('vault.getAgentWallet').shape;

export const getBalance = defineTool({
  name: 'get_balance',
  title: 'Get the balance',
  purpose:
    "See the owner's credit pool, or with agentId or an agent's key the wallet of an agent. For single movements use list_transactions.",
  effect: 'reads',
  openWorld: false,
  uses: ['vault.getPool', 'vault.getAgentWallet', 'vault.getWallet'],
  input: z.strictObject({ agentId: whichAgent }),
  output: z.object({ ...z.object({ ...pool, ...wallet }).partial().shape, currency: pool.currency }),
  shows: ['balance', 'held', 'available', 'escrowed', 'currency'],
  async call({ agentId }, { agora, options }) {
    if (agora.credentials.has('owner') && agentId === undefined) {
      const told = await agora.vault.getPool(options);
      return {
        data: told,
        text: `Pool: ${dollars(told.balance)} can be spent, ${dollars(told.held)} is held for open tasks.`,
      };
    }
    const told =
      agora.credentials.has('owner') && agentId !== undefined
        ? await agora.vault.getAgentWallet(agentId, options)
        : await agora.vault.getWallet(options);
    return {
      data: told,
      text: `Wallet of ${told.agentId}: ${dollars(told.available)} available, ${dollars(told.escrowed)} in escrow.`,
    };
  },
});

const poolFields = { ...fieldsOf('vault.poolTransactions'), ...fewRows };
const walletFields = fieldsOf('vault.walletTransactions');

export const listTransactions = defineTool({
  name: 'list_transactions',
  title: 'List transactions',
  purpose:
    "List movements of the owner's pool, or with agentId or an agent's key of a wallet. For the sum use get_balance.",
  effect: 'reads',
  openWorld: false,
  uses: ['vault.poolTransactions', 'vault.agentWalletTransactions', 'vault.walletTransactions'],
  input: z.strictObject({
    ...poolFields,
    account: z.enum([...poolFields.account.unwrap().options, ...walletFields.account.unwrap().options]).optional(),
    agentId: whichAgent,
  }),
  output: replyOf('vault.poolTransactions'),
  async call({ agentId, account, ...filters }, { agora, options }) {
    // An account of the other side is refused by the service, which names those that go.
    const query = { ...filters, ...(account && { account: account as never }) };
    const isOwner = agora.credentials.has('owner');
    const found =
      isOwner && agentId === undefined
        ? await agora.vault.poolTransactions(query, options)
        : isOwner && agentId !== undefined
          ? await agora.vault.agentWalletTransactions(agentId, query, options)
          : await agora.vault.walletTransactions(query, options);
    const page = { data: found.data, pagination: found.pagination };
    const line = (moved: (typeof page.data)[number]) =>
      `${moved.createdAt} ${dollars(moved.amount)} ${moved.cause} (${moved.account})${moved.taskId ? ` for ${moved.taskId}` : ''}`;
    return { data: page, text: listText('movements', page, line) };
  },
});

export const topUpPool = defineTool({
  name: 'top_up_pool',
  title: 'Top up the pool',
  purpose:
    "Charge the owner's saved card and add the amount to the pool. Real money: only after a person has agreed to the amount.",
  effect: 'adds',
  openWorld: true,
  uses: ['vault.topUp'],
  input: z.strictObject(fieldsOf('vault.topUp')),
  output: replyOf('vault.topUp'),
  async call(body, { agora, options }) {
    const told = await agora.vault.topUp(body, options);
    return { data: told, text: `Charged ${dollars(told.amountCharged)}. The pool has ${dollars(told.newBalance)}.` };
  },
});
