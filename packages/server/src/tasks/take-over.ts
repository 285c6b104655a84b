import type { Tx } from '../platform/index.ts';
import { reviveGateRuns } from './assessment/gate-sql.ts';
import { buryOrphans } from './workspace/sql.ts';

/** Takes over from ended processes: their sandboxes are gone, and their gate runs are due at once. */
export async function takeOver(tx: Tx, now: Date): Promise<void> {
  await buryOrphans(tx, now);
  await reviveGateRuns(tx, now);
}
