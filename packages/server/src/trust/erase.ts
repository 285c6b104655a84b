import { rows, type Tx } from '../platform/index.ts';

/** Forgets an owner's trust keys, and how much they were used. */
export async function eraseKeys(tx: Tx, ownerId: string): Promise<void> {
  await rows(tx, 'trust_erase_keys', 'delete from trust_keys where owner_id = $1', [ownerId]);
  await rows(tx, 'trust_erase_usage', 'delete from trust_usage where owner_id = $1', [ownerId]);
}
