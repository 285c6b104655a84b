import { toId } from '@agora-market/contract';
import { appendEvents, type NewEvent } from '../../events/index.ts';
import { changedRows, type Queryable } from '../../platform/index.ts';
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
  const told: NewEvent[] = [];
  for (const consequence of consequences) {
    const { kind, from, to } = consequence;
    if (kind === 'tier') told.push(eventOf(consequence, 'agent.tier_changed', { from, to }));
    else if (await changeStatus(tx, consequence, kind)) told.push(statusEvent(consequence, kind));
  }
  await appendEvents(tx, told);
}

const eventOf = (
  { at, correlationId, agentId, ownerId }: Consequence,
  type: NewEvent['type'],
  data: NewEvent['data'],
): NewEvent => ({ type, district: 'registry', at: new Date(at), correlationId, agentId, ownerId, data });

/** Whether it did: an agent in another status stays as it is. */
async function changeStatus(tx: Queryable, { agentId, at }: Consequence, kind: keyof typeof changes): Promise<boolean> {
  const { from, to } = changes[kind];
  const changed = await changedRows(
    tx,
    'reputation_change_status',
    'update agents set status = $3, updated_at = $4 where id = $1 and status = $2',
    [agentId, from, to, new Date(at).toISOString()],
  );
  return changed > 0;
}

function statusEvent(consequence: Consequence, kind: keyof typeof changes): NewEvent {
  const { from, type } = changes[kind];
  return eventOf(
    consequence,
    type,
    kind === 'suspend'
      ? { consecutiveFailures: consequence.failures }
      : { agentId: toId('agent', consequence.agentId), from, because: reasons[kind] },
  );
}
