import type { Tx } from '../platform/index.ts';
import { reviveGateRuns } from './assessment/gate-sql.ts';
import { buryOrphans } from './workspace/sql.ts';

/** What processes held that have ended: their sandboxes are gone, and the gates that they ran are due at once. */
export async function takeOver(tx: Tx, now: Date): Promise<void> {
  await buryOrphans(tx, now);
  await reviveGateRuns(tx, now);
}
