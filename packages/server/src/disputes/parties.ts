import type { AgentCaller, OwnerCaller } from '../platform/index.ts';

/** The two sides of a task. A sub-hire was bought by the submitting agent and by the owner whose pool paid. */
export interface Parties {
  ownerId: string;
  submitterAgentId: string | null;
  agentId: string;
  /** The agent's owner. */
  sellerId: string;
}

export type Side = 'buyer' | 'seller';

/** The sides of a task that may still wait for its agent. */
export type MaybeParties = Omit<Parties, 'agentId' | 'sellerId'> & { [K in 'agentId' | 'sellerId']: string | null };

/** The side of a caller; an agent's owner is on the agent's side. */
export function sideOf(parties: MaybeParties, caller: OwnerCaller | AgentCaller): Side | 'none' {
  if (caller.kind === 'owner') {
    if (parties.ownerId === caller.ownerId) return 'buyer';
    return parties.sellerId === caller.ownerId ? 'seller' : 'none';
  }
  if (parties.submitterAgentId === caller.agentId) return 'buyer';
  return parties.agentId === caller.agentId ? 'seller' : 'none';
}
