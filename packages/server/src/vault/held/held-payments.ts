import { type BodyOf, type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../../events/index.ts';
import { ApiError, type Call, decodeCursor, ensure, type Pool, pageOf, type Tx } from '../../platform/index.ts';
import { requirePayee } from '../payouts/payee.ts';
import { returnHeld } from '../payouts/settle.ts';
import { findWithdrawal, sendHeld } from '../payouts/withdrawal-sql.ts';
import { decideHeld, type HeldPaymentRow, listHeld, listHeldWithdrawals, listOpenHeld, lockHeld } from './held-sql.ts';

type HeldPayment = ReplyOf<Operations['vault.releaseHeldPayment']>;

const heldView = (row: HeldPaymentRow): HeldPayment => ({
  ...row,
  id: toId('heldPayment', row.id),
  ownerId: toId('owner', row.ownerId),
  withdrawalId: row.withdrawalId === null ? null : toId('withdrawal', row.withdrawalId),
});

const cursorSchema = z.tuple([z.iso.datetime({ precision: 3 }).startsWith('20'), z.uuid()]);

export async function heldPage(pool: Pool, { query }: Call<Operations['vault.listHeldPayments']>) {
  const { pageSize, cursor, status } = query;
  const from = decodeCursor(cursor, cursorSchema);
  const found =
    status === 'open'
      ? await listOpenHeld(pool, from, pageSize + 1)
      : await listHeld(pool, status ?? null, from, pageSize + 1);
  return pageOf(found, pageSize, (last) => [last.heldAt, last.id], heldView);
}

export const listHeldPayments = async (pool: Pool, limit: number) =>
  (await listOpenHeld(pool, null, limit)).map(heldView);

/** Returns the held withdrawals of an owner, whose bank account may be a stranger's, in a transaction of mode 'ledger'. */
export async function returnHeldWithdrawals(
  tx: Tx,
  { ownerId, ...decision }: Omit<Decision, 'heldPaymentId'> & { ownerId: string },
): Promise<void> {
  for (const id of await listHeldWithdrawals(tx, ownerId)) {
    await decideHeldPayment(tx, 'refused', { ...decision, heldPaymentId: toId('heldPayment', id) });
  }
}

/** A held withdrawal was in order when it was made, which may be long ago. */
async function send(tx: Tx, withdrawalId: string, at: Date): Promise<void> {
  const withdrawal = await findWithdrawal(tx, withdrawalId);
  if (!withdrawal) throw new Error(`there is no withdrawal ${withdrawalId} to release`);
  try {
    await requirePayee(tx, withdrawal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `The withdrawal cannot be paid now, only refused: ${error.message}`;
    throw new ApiError('WRONG_STATE', message, { reason: error.code });
  }
  await sendHeld(tx, withdrawalId, at);
}

/** The operator's decision about one held payment. */
interface Decision extends BodyOf<Operations['vault.releaseHeldPayment']> {
  heldPaymentId: string;
  at: Date;
  correlationId: string;
}

/**
 * Releases or refuses a held payment, in a transaction of mode 'ledger'. A withdrawal is paid out by the sweep or returns
 * to its wallet; the owner of a top-up may make it now. WALLET_FLAGGED where a withdrawal must go on waiting.
 */
export async function decideHeldPayment(
  tx: Tx,
  status: 'released' | 'refused',
  decision: Decision,
): Promise<HeldPayment> {
  const { heldPaymentId, reason, by, at, correlationId } = decision;
  const id = toUuid('heldPayment', heldPaymentId);
  const found = id === null ? null : await lockHeld(tx, id);
  ensure(found, 'HELD_PAYMENT_NOT_FOUND');
  const decided = await decideHeld(tx, found.id, { status, at, by, reason });
  ensure(decided, 'WRONG_STATE', `The payment is ${found.status} already.`);
  const { kind, ownerId, withdrawalId, amount } = decided;
  if (withdrawalId !== null && status === 'released') await send(tx, withdrawalId, at);
  if (withdrawalId !== null && status === 'refused') await returnHeld(tx, withdrawalId, reason, at);
  const data = { heldPaymentId, kind, amount, reason, by };
  await appendEvent(tx, { type: `payment.${status}`, district: 'vault', at, correlationId, ownerId, data });
  return heldView(decided);
}
