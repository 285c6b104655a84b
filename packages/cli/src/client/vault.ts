import { connectionOf, withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { facts, money, print, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';

/** Prints what the caller has: an owner its pool, an agent its wallet. */
export const balanceCommand = (options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const { token, agentKey } = connectionOf(options);
    // Without any credential the owner's operation says what is missing.
    const pool = token || !agentKey ? await agora.vault.getPool() : null;
    const wallet = agentKey ? await agora.vault.getWallet() : null;
    print(options, { pool, wallet }, () =>
      facts({
        pool: pool && money(pool.balance),
        'held for tasks': pool && money(pool.held),
        owed: pool && pool.owed > 0 ? money(pool.owed) : null,
        wallet: wallet && money(wallet.available),
        allocated: wallet && wallet.allocated > 0 ? money(wallet.allocated) : null,
        'to withdraw': wallet && money(wallet.withdrawable),
        'more to withdraw at': wallet?.nextPayableAt ?? null,
        'in escrow': wallet && money(wallet.escrowed),
      }),
    );
  });

export const topUpCommand = (cents: number, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const made = await agora.vault.topUp({ amount: cents });
    print(options, made, `Charged ${money(made.amountCharged)}; the pool has ${money(made.newBalance)}.`);
  });

interface Filters extends PageOptions {
  agent?: string;
  task?: string;
  from?: string;
  to?: string;
}

export const transactionsCommand = (options: Filters): Promise<void> =>
  withServer(options, async (agora) => {
    const { agent, task, from, to } = options;
    const { token, agentKey } = connectionOf(options);
    const filters = { ...(task && { taskId: task }), ...(from && { from }), ...(to && { to }) };
    await printPages(
      options,
      (page) => {
        const query = { ...filters, ...page };
        if (agent !== undefined) return agora.vault.agentWalletTransactions(agent, query as never);
        return agentKey && !token
          ? agora.vault.walletTransactions(query as never)
          : agora.vault.poolTransactions(query as never);
      },
      (movements) =>
        table(
          ['time (UTC)', 'cause', 'account', 'amount', 'balance', 'task'],
          movements.map((each) => [
            each.createdAt.slice(0, 19).replace('T', ' '),
            each.cause,
            each.account,
            money(each.amount),
            money(each.balanceAfter),
            each.taskId,
          ]),
        ),
    );
  });
