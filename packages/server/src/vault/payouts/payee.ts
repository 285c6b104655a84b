import { ensure, type Queryable, row } from '../../platform/index.ts';
import { requireNoDebt } from '../reconciliation/blocks.ts';
import { findAccount } from './account-sql.ts';
import { accountView } from './accounts.ts';
import type { WithdrawalRow } from './withdrawal-sql.ts';

const isActive = async (tx: Queryable, ownerId: string): Promise<boolean> =>
  (await row(tx, 'payouts_owner_is_active', `select from owners where id = $1 and status = 'active'`, [ownerId])) !==
  null;

/** Whether a wallet may be paid out to an account: when a withdrawal is made, and when the operator releases it. */
export async function requirePayee(
  tx: Queryable,
  { ownerId, agentId, processor, accountRef }: Pick<WithdrawalRow, 'ownerId' | 'agentId' | 'processor' | 'accountRef'>,
): Promise<void> {
  ensure(await isActive(tx, ownerId), 'OWNER_SUSPENDED');
  const account = await findAccount(tx, ownerId, processor);
  ensure(account?.accountRef === accountRef, 'PAYOUT_ACCOUNT_REQUIRED', undefined, { account: accountView(account) });
  await requireNoDebt(tx, { agentId, ownerId });
}
