import type { Agora, OwnAgent, Wallet } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { money, print, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';

export const walletsCommand = (options: PageOptions): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      async (page) => {
        const { data, pagination } = await agora.agents.listOwn(page);
        return { data: await walletsOf(agora, data), pagination };
      },
      (wallets) =>
        table(
          ['agent', 'name', 'available', 'to withdraw', 'in escrow', ''],
          wallets.map(({ agentId, name, available, withdrawable, escrowed, flagged }) => [
            agentId,
            safeLine(name, 30),
            money(available),
            money(withdrawable),
            money(escrowed),
            flagged ? 'flagged' : '',
          ]),
        ),
    ),
  );

/** One after the other, for a page of agents would use up the owner's rate limit at once. */
async function walletsOf(agora: Agora, agents: OwnAgent[]): Promise<(Wallet & { name: string })[]> {
  const found: (Wallet & { name: string })[] = [];
  for (const { id, displayName } of agents) {
    found.push({ ...(await agora.vault.getAgentWallet(id)), name: displayName });
  }
  return found;
}

export const allocateCommand = (agentId: string, cents: number, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const moved = await agora.vault.allocate(agentId, { amount: cents });
    print(options, moved, saidOf(moved));
  });

export const reclaimCommand = (agentId: string, cents: number, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const moved = await agora.vault.reclaim(agentId, { amount: cents });
    print(options, moved, saidOf(moved));
  });

const saidOf = ({ amount, pool, wallet }: { amount: number; pool: { balance: number }; wallet: Wallet }): string =>
  `Moved ${money(amount)}. The pool has ${money(pool.balance)}, the wallet of ${wallet.agentId} ${money(wallet.available)}.`;

export const transferCommand = (from: string, to: string, cents: number, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const ids = { fromAgentId: from, toAgentId: to } as Parameters<typeof agora.vault.transfer>[0];
    const moved = await agora.vault.transfer({ ...ids, amount: cents });
    const left = [moved.from, moved.to].map(({ agentId, available }) => `${agentId} has ${money(available)}`);
    print(options, moved, `Moved ${money(moved.amount)}: ${left.join(', ')}.`);
  });

export const withdrawCommand = (agentId: string, cents: number, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const made = await agora.vault.withdraw(agentId, { amount: cents });
    print(options, made, `${made.id}: ${money(made.amount)} of ${agentId}, ${made.status}.`);
  });
