import { ensure, type Queryable, row } from '../../platform/index.ts';
import { requireOwnerInOrder } from '../reconciliation/blocks.ts';
import { isFlagged } from '../reconciliation/flags.ts';
import { readPool } from '../sql.ts';
import { findAccount } from './account-sql.ts';
import { accountView } from './accounts.ts';
import type { WithdrawalRow } from './withdrawal-sql.ts';

const owing =
  'A top-up went back to its card, and the pool still owes the amount. Withdrawals are blocked until the pool has paid it.';

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
  ensure(!(await isFlagged(tx, agentId)), 'WALLET_FLAGGED');
  // Credits of a reversed top-up may have been moved from the pool to this wallet.
  const { owed } = await readPool(tx, ownerId);
  ensure(owed === 0, 'WALLET_FLAGGED', owing, { owed });
  await requireOwnerInOrder(tx, ownerId);
}
