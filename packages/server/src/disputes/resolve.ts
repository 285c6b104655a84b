import { dispute, type Operations, type ReplyOf, toUuid } from '@agora-market/contract';
import { ApiError, type Call, ensure } from '../platform/index.ts';
import type { DisputeDeps } from './deps.ts';
import { disputedTask, settle } from './settle.ts';
import { lockDispute } from './sql.ts';
import { reread } from './view.ts';

type Resolve = Operations['courts.resolveDispute'];

/** The operator decides a dispute that is open. */
export async function resolveDispute(
  { config }: Pick<DisputeDeps, 'config'>,
  { tx, now, params, body }: Call<Resolve>,
): Promise<ReplyOf<Resolve>> {
  const id = toUuid('dispute', params.disputeId);
  const found = id === null ? null : await lockDispute(tx, id);
  ensure(found, 'DISPUTE_NOT_FOUND');
  const verdict = dispute('resolve', found.status, 'operator');
  if (!verdict.ok) throw new ApiError(verdict.code, verdict.why, { status: found.status, outcome: found.outcome });
  const { outcome, share = null, note } = body;
  const task = await disputedTask(tx, found);
  await settle(tx, { found, task }, 'resolve', { outcome, share, note, decidedBy: 'operator' }, now, config);
  return reread(tx, found.id);
}
