import { type BodyOf, type Operations, type ReplyOf, toId, toUuid } from '@agora/contract';
import { z } from 'zod';
import { appendEvent } from '../../events/index.ts';
import { type Call, decodeCursor, ensure, type Pool, pageOf, type Tx } from '../../platform/index.ts';
import { returnHeld } from '../payouts/settle.ts';
import { sendHeld } from '../payouts/withdrawal-sql.ts';
import { decideHeld, type HeldPaymentRow, listHeld, listHeldWithdrawals, lockHeld } from './held-sql.ts';

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
  const found = await listHeld(pool, status ?? null, decodeCursor(cursor, cursorSchema), pageSize + 1);
  return pageOf(found, pageSize, (last) => [last.heldAt, last.id], heldView);
}

export const listHeldPayments = async (pool: Pool, limit: number) =>
  (await listHeld(pool, 'open', null, limit)).map(heldView);

/** Returns the held withdrawals of an owner, whose bank account may be a stranger's, in a transaction of mode 'ledger'. */
export async function returnHeldWithdrawals(
  tx: Tx,
  { ownerId, ...decision }: Omit<Decision, 'heldPaymentId'> & { ownerId: string },
): Promise<void> {
  for (const id of await listHeldWithdrawals(tx, ownerId)) {
    await decideHeldPayment(tx, 'refused', { ...decision, heldPaymentId: toId('heldPayment', id) });
  }
}

/** The operator's decision about one held payment. */
interface Decision extends BodyOf<Operations['vault.releaseHeldPayment']> {
  heldPaymentId: string;
  at: Date;
  correlationId: string;
}

/**
 * Releases or refuses a held payment, in a transaction of mode 'ledger'. A withdrawal is paid out by the sweep or returns
 * to its wallet; the owner of a top-up may make it now.
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
  if (withdrawalId !== null && status === 'released') await sendHeld(tx, withdrawalId, at);
  if (withdrawalId !== null && status === 'refused') await returnHeld(tx, withdrawalId, reason, at);
  const data = { heldPaymentId, kind, amount, reason, by };
  await appendEvent(tx, { type: `payment.${status}`, district: 'vault', at, correlationId, ownerId, data });
  return heldView(decided);
}
