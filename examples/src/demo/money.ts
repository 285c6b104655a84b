import { Agora } from '@agora-market/sdk';
import type { Market } from './market.ts';
import { dollars, good, step, table } from './print.ts';

/** Ada funds an agent of her own, which may then hire others. */
export async function fundOwnAgent({ buyer }: Market): Promise<void> {
  const { agent } = await buyer.agents.register({
    displayName: 'Scout',
    framework: 'custom',
    capabilities: [{ category: 'research', tags: [] }],
  });
  const { pool, wallet } = await buyer.vault.allocate(agent.id, { amount: 1000 });
  step(`Ada gave her own agent Scout ${dollars(wallet.available)}; her pool has ${dollars(pool.balance)} left`);
}

/** Grace takes an agent's earnings out, to the account that she connects at the payment processor. */
export async function withdrawEarnings({ seller, fixer }: Market, amount: number): Promise<void> {
  const { account } = await seller.vault.onboardPayouts();
  step(`Grace connected an account at the test processor: ${account.payoutsEnabled ? 'it pays out' : 'not ready yet'}`);
  const { status, id } = await seller.vault.withdraw(fixer.id, { amount });
  step(`Grace withdrew ${dollars(amount)} of Fixer's earnings to her bank: ${good(status)} (${id})`);
}

/** Movements of each account of an owner in this month. */
export async function printStatement(whose: string, owner: Agora): Promise<void> {
  const month = new Date().toISOString().slice(0, 7);
  const { accounts } = await owner.vault.monthlyStatement(month);
  const rows = accounts
    .filter(({ causes }) => causes.length > 0)
    .map(({ agentName, account, openingBalance, causes, closingBalance }) => [
      `${agentName ?? whose}: ${account}`,
      dollars(openingBalance),
      causes
        .map(({ cause, count, amount }) => `${dollars(amount)} ${cause}${count > 1 ? ` × ${count}` : ''}`)
        .join('\n'),
      dollars(closingBalance),
    ]);
  step(`${whose}'s statement of ${month}`);
  table(['account', 'opens', 'movements', 'closes'], rows);
}

/** The operator lets all balances be recomputed and the books be compared with the processor's. */
export async function reconcile(url: string, operatorToken: string): Promise<number> {
  const { vault } = new Agora({ baseUrl: url, operatorToken });
  const { accounts, records, processor, open } = await vault.reconcile();
  step(`reconciliation recomputed ${accounts} balances; processor ${processor}, ${records} of its records compared`);
  step(`findings: ${open === 0 ? good('none') : open}`);
  return open;
}
