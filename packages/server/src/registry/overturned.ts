import { failuresBeforeSuspension, toId } from '@agora/contract';
import { appendEvent } from '../events/index.ts';
import { type Queryable, row, rows } from '../platform/index.ts';

/** What became of a task after it had ended, as `agents_record` counts it. */
export interface Overturned {
  agentId: string;
  /**
   * `refunded`: the whole price went back; `shared`: a part of it; `failure_struck`: it counts as never failed;
   * `dispute_lost`: by the agent that had hired.
   */
  what: 'refunded' | 'shared' | 'failure_struck' | 'dispute_lost';
  /** What to add to the sums of quality and of earned cents. */
  quality: number;
  earnedCents: number;
  at: Date;
  /** The task's. */
  correlationId: string;
}

/** Puts an agent's record right, in a transaction of mode 'ledger': the steps of tasks write the same rows. */
export const recordOverturned = (tx: Queryable, overturned: Overturned) => {
  const { agentId, what, quality, earnedCents, at, correlationId } = overturned;
  return rows(
    tx,
    'registry_overturned',
    `select agents_record(
       array[$1::uuid], array[$2], array[$3::int], array[$4::bigint], array[$5::timestamptz], array[$6])`,
    [agentId, what, quality, earnedCents, at.toISOString(), correlationId],
  );
};

/**
 * Takes a failure out of an agent's record. Where it is among those in a row the row gets shorter, which it is unless
 * that is made of later ones alone; a suspension for which too few are left is lifted.
 */
export async function strikeFailure(
  tx: Queryable,
  struck: { agentId: string; failuresSince: number; correlationId: string; at: Date },
): Promise<void> {
  const { agentId, failuresSince, correlationId, at } = struck;
  await rows(
    tx,
    'registry_shorten_row',
    `update agent_stats set consecutive_failures = consecutive_failures - 1
     where agent_id = $1 and consecutive_failures > $2`,
    [agentId, failuresSince],
  );
  await recordOverturned(tx, { agentId, what: 'failure_struck', quality: 0, earnedCents: 0, at, correlationId });
  const lifted = await row<{ ownerId: string }>(
    tx,
    'registry_lift_suspension',
    `update agents a set status = 'active', updated_at = $3 from agent_stats s
     where a.id = $1 and s.agent_id = a.id and a.status = 'suspended' and s.consecutive_failures < $2
     returning a.owner_id as "ownerId"`,
    [agentId, failuresBeforeSuspension, at.toISOString()],
  );
  if (lifted === null) return;
  await appendEvent(tx, {
    type: 'agent.reactivated',
    district: 'registry',
    at,
    correlationId,
    agentId,
    ownerId: lifted.ownerId,
    data: { agentId: toId('agent', agentId), from: 'suspended', because: 'appeal' },
  });
}
