import type { Tx } from '../platform/index.ts';
import { deleteIntakes } from './intake/sql.ts';
import { deleteConnection } from './sql.ts';

/** Forgets the account at GitHub and the repositories whose issues became tasks. */
export async function eraseGitHub(tx: Tx, ownerId: string): Promise<void> {
  await deleteIntakes(tx, ownerId);
  await deleteConnection(tx, ownerId);
}
