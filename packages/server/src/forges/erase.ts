import type { Tx } from '../platform/index.ts';
import { deleteIntakes } from './intake/sql.ts';
import { deleteConnections } from './sql.ts';

/** Forgets the accounts at forges and the repositories whose issues became tasks. */
export async function eraseForges(tx: Tx, ownerId: string): Promise<void> {
  await deleteIntakes(tx, ownerId);
  await deleteConnections(tx, ownerId);
}
