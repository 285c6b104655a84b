import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import type { Queryable } from '../platform/index.ts';
import { proofsOf } from './proofs-sql.ts';
import { type DisputeRow, disputeById, statementsOf } from './sql.ts';

type Dispute = ReplyOf<Operations['courts.getDispute']>;

/** A dispute in a list, for both parties and the operator, without statements and proofs. */
export function summary(row: DisputeRow): Omit<Dispute, 'statements' | 'proofs'> {
  const { ownerId, submitterAgentId, sellerId: _, attempts: __, reassessed: ___, correlationId: ____, ...shown } = row;
  return {
    ...shown,
    id: toId('dispute', row.id),
    taskId: toId('task', row.taskId),
    agentId: toId('agent', row.agentId),
    openedBy: submitterAgentId === null ? toId('owner', ownerId) : toId('agent', submitterAgentId),
    assessmentId: row.assessmentId === null ? null : toId('assessment', row.assessmentId),
  };
}

export const whole = async (db: Queryable, row: DisputeRow): Promise<Dispute> => ({
  ...summary(row),
  statements: await statementsOf(db, row.id),
  proofs: await proofsOf(db, row.id),
});

/** As it is now, after a change. */
export async function reread(tx: Queryable, id: string): Promise<Dispute> {
  const row = await disputeById(tx, id);
  if (!row) throw new Error('a dispute is gone');
  return whole(tx, row);
}
