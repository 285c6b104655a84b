import { rows, type Tx } from '../platform/index.ts';

/** Forgets an owner's trust keys, and how much they were used. */
export async function eraseKeys(tx: Tx, ownerId: string): Promise<void> {
  await rows(tx, 'trust_erase_keys', 'delete from trust_keys where owner_id = $1', [ownerId]);
  await rows(tx, 'trust_erase_usage', 'delete from trust_usage where owner_id = $1', [ownerId]);
}

/** Revokes an owner's trust keys. */
export const endKeys = (tx: Tx, ownerId: string, at: Date) =>
  rows(tx, 'trust_end_keys', 'update trust_keys set revoked_at = $2 where owner_id = $1 and revoked_at is null', [
    ownerId,
    at.toISOString(),
  ]);
