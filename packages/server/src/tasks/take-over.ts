import { judgingStatuses } from '@agora-market/contract';
import { reviveLeased, sqlList, type Tx } from '../platform/index.ts';
import { endOrphanedRuns } from './assessment/dry-runs-sql.ts';
import { buryOrphans } from './workspace/sql.ts';

/** Takes over from ended processes: their sandboxes and dry runs are gone, and their gate runs are due at once. */
export async function takeOver(tx: Tx, now: Date): Promise<void> {
  await buryOrphans(tx, now);
  await endOrphanedRuns(tx);
  const where = `status in ${sqlList(judgingStatuses)} and assessment_id is null`;
  await reviveLeased(tx, now, { table: 'tasks', id: 'id', leasedBy: 'gate_host', where });
}
