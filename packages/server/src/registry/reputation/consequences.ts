import { toId } from '@agora/contract';
import { appendEvent } from '../../events/index.ts';
import { type Queryable, row, rows } from '../../platform/index.ts';
import type { AgentRow } from '../agent-row.ts';
import type { Consequence } from './fold.ts';

type Status = AgentRow['status'];

/** From which status to which, and the event that tells of it. */
const changes = {
  suspend: { from: 'active', to: 'suspended', type: 'agent.suspended' },
  lift: { from: 'suspended', to: 'active', type: 'agent.reactivated' },
  // The owner was faster than the reader, which has just suspended the agent for an earlier failure.
  reinstate: { from: 'suspended', to: 'active', type: 'agent.reactivated' },
} as const satisfies Record<string, { from: Status; to: Status; type: string }>;

/** Why the platform itself brought an agent back. */
const reasons = { lift: 'appeal', reinstate: 'owner' } as const;

/** Changes the status of agents and tells of that and of new tiers, in the order in which it came to them. */
export async function apply(tx: Queryable, consequences: readonly Consequence[]): Promise<void> {
  for (const consequence of consequences) {
    if (consequence.kind === 'tier') await tellTier(tx, consequence);
    else await changeStatus(tx, consequence, consequence.kind);
  }
}

async function tellTier(tx: Queryable, { agentId, at, correlationId, from, to }: Consequence): Promise<void> {
  const agent = await row<{ ownerId: string }>(
    tx,
    'reputation_owner',
    'select owner_id as "ownerId" from agents where id = $1',
    [agentId],
  );
  if (agent === null) return;
  await appendEvent(tx, {
    type: 'agent.tier_changed',
    district: 'registry',
    at: new Date(at),
    correlationId,
    agentId,
    ownerId: agent.ownerId,
    data: { from, to },
  });
}

async function changeStatus(tx: Queryable, consequence: Consequence, kind: keyof typeof changes): Promise<void> {
  const { agentId, at, correlationId, failures } = consequence;
  const { from, to, type } = changes[kind];
  const [changed] = await rows<{ ownerId: string }>(
    tx,
    'reputation_change_status',
    `update agents set status = $3, updated_at = $4 where id = $1 and status = $2 returning owner_id as "ownerId"`,
    [agentId, from, to, new Date(at).toISOString()],
  );
  if (changed === undefined) return;
  await appendEvent(tx, {
    type,
    district: 'registry',
    at: new Date(at),
    correlationId,
    agentId,
    ownerId: changed.ownerId,
    data:
      kind === 'suspend'
        ? { consecutiveFailures: failures }
        : { agentId: toId('agent', agentId), from, because: reasons[kind] },
  });
}
