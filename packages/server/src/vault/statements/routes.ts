import { type Pool, type Queryable, type Route, route } from '../../platform/index.ts';
import { requireOwnAgent } from '../../registry/index.ts';
import { poolBalance, walletBalance } from './balance.ts';
import { exportTransactions } from './export.ts';
import { exportMonthlyStatement, monthlyStatement } from './monthly.ts';
import { revenue } from './revenue.ts';
import { poolOf, transactionsPage, walletOf } from './transactions.ts';

/** The agent of the path, which must be the caller's own. */
const ownAgentId = async (db: Queryable, call: { caller: { ownerId: string }; params: { agentId: string } }) =>
  (await requireOwnAgent(db, call.caller.ownerId, call.params.agentId)).id;

export function statementRoutes({ pool }: { pool: Pool }): Route[] {
  return [
    route('vault.poolTransactions', ({ caller, query }) => transactionsPage(pool, poolOf(caller.ownerId), query)),
    route('vault.exportPoolTransactions', (call) =>
      exportTransactions(pool, poolOf(call.caller.ownerId), call, 'pool-transactions.csv'),
    ),
    route('vault.poolBalance', ({ caller, query, now }) => poolBalance(pool, caller.ownerId, query.at, now)),
    route('vault.walletTransactions', ({ caller, query }) => transactionsPage(pool, walletOf(caller.agentId), query)),
    route('vault.exportWalletTransactions', (call) =>
      exportTransactions(pool, walletOf(call.caller.agentId), call, 'wallet-transactions.csv'),
    ),
    route('vault.walletBalance', ({ caller, query, now }) => walletBalance(pool, caller.agentId, query.at, now)),
    route('vault.agentWalletTransactions', async (call) =>
      transactionsPage(pool, walletOf(await ownAgentId(pool, call)), call.query),
    ),
    route('vault.exportAgentWalletTransactions', async (call) =>
      exportTransactions(pool, walletOf(await ownAgentId(pool, call)), call, `${call.params.agentId}-transactions.csv`),
    ),
    route('vault.agentWalletBalance', async (call) =>
      walletBalance(pool, await ownAgentId(pool, call), call.query.at, call.now),
    ),
    route('vault.monthlyStatement', (call) => monthlyStatement(pool, call)),
    route('vault.exportMonthlyStatement', (call) => exportMonthlyStatement(pool, call)),
    route('vault.revenue', ({ query, now }) => revenue(pool, query, now)),
  ];
}
