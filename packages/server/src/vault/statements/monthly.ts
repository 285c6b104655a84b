import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import { type Call, csvLine, ensure, type Pool, sendCsv } from '../../platform/index.ts';
import { agentsWithWallets, balancesAt, sumsByCause } from './balance-sql.ts';
import { poolOf, walletOf } from './transactions.ts';

type Statement = ReplyOf<Operations['vault.monthlyStatement']>;
type MonthCall = Pick<Call<Operations['vault.monthlyStatement']>, 'caller' | 'params' | 'now'>;

/** The span of a month of UTC; while it lasts it ends now. */
function spanOf(month: string, now: Date) {
  ensure(/^20\d\d-(0[1-9]|1[0-2])$/.test(month), 'STATEMENT_NOT_FOUND');
  const from = new Date(`${month}-01T00:00:00.000Z`);
  ensure(from <= now, 'STATEMENT_NOT_FOUND', 'This month has not begun.');
  const end = new Date(from);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const complete = end <= now;
  // An entry of this very moment still counts.
  const to = complete ? end : new Date(now.getTime() + 1);
  return { from: from.toISOString(), to: to.toISOString(), complete };
}

const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString();

/** Opening balance, sums by cause and closing balance of the owner's accounts, all from entries. */
export async function monthlyStatement(pool: Pool, { caller, params, now }: MonthCall): Promise<Statement> {
  const { from, to, complete } = spanOf(params.month, now);
  const agents = await agentsWithWallets(pool, caller.ownerId);
  const holders = [caller.ownerId, ...agents.map((agent) => agent.id)];
  const opening = await balancesAt(pool, holders, justBefore(from));
  const sums = await sumsByCause(pool, holders, from, to);
  const accounts = [poolOf(caller.ownerId), ...agents.map((agent) => walletOf(agent.id))].flatMap((holder) =>
    holder.kinds.map((kind) => {
      const openingBalance = opening.find((each) => each.holder === holder.id && each.kind === kind)?.balance ?? 0;
      const causes = sums
        .filter((each) => each.holder === holder.id && each.kind === kind)
        .map(({ cause, count, amount }) => ({ cause, count, amount }));
      const agent = agents.find((each) => each.id === holder.id);
      return {
        account: kind as Statement['accounts'][number]['account'],
        agentId: agent ? toId('agent', agent.id) : null,
        agentName: agent?.name ?? null,
        openingBalance,
        closingBalance: causes.reduce((sum, { amount }) => sum + amount, openingBalance),
        causes,
      };
    }),
  );
  return { month: params.month, from, to, complete, currency: 'USD', accounts };
}

const header = ['month', 'account', 'agentId', 'agentName', 'line', 'count', 'amountCents', 'currency'];

async function* statementLines(pool: Pool, call: MonthCall): AsyncGenerator<string> {
  const { month, accounts, currency } = await monthlyStatement(pool, call);
  let text = csvLine(header);
  for (const { account, agentId, agentName, openingBalance, closingBalance, causes } of accounts) {
    const line = (what: string, count: number | null, cents: number) =>
      csvLine([month, account, agentId, agentName, what, count, cents, currency]);
    text += line('opening_balance', null, openingBalance);
    for (const { cause, count, amount } of causes) text += line(cause, count, amount);
    text += line('closing_balance', null, closingBalance);
  }
  yield text;
}

export const exportMonthlyStatement = (pool: Pool, call: Call<Operations['vault.exportMonthlyStatement']>) =>
  sendCsv(call.raw, `statement-${call.params.month}.csv`, statementLines(pool, call));
