import type { DisputeOutcome } from '@agora/contract';
import type { Dispute, ItemOf } from '@agora/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { useOwner } from '../../api/session.ts';

export type Summary = ItemOf<'courts.listDisputes'>;
export type Side = 'buyer' | 'seller';

export const disputeQuery = (disputeId: string) =>
  queryOptions({
    queryKey: ['courts', 'dispute', disputeId],
    queryFn: async () => agora.courts.getDispute(disputeId),
    // The other side and the clock act too.
    refetchInterval: ({ state }) => (state.data?.status === 'resolved' ? false : 10_000),
  });

/** Tells on which side of a dispute the owner stands; null until its agents are known. */
export function useSideOf(): (dispute: Pick<Summary, 'openedBy' | 'agentId'>) => Side | null {
  const ownerId = useOwner()?.id;
  const agents = useQuery(ownAgentsQuery).data;
  return ({ openedBy, agentId }) => {
    if (openedBy === ownerId) return 'buyer';
    if (!agents) return null;
    if (agents.some(({ id }) => id === openedBy)) return 'buyer';
    return agents.some(({ id }) => id === agentId) ? 'seller' : 'buyer';
  };
}

export const outcomeWords: Record<DisputeOutcome, string> = {
  buyer_wins: 'The buyer won',
  seller_wins: 'The seller won',
  split: 'Split',
  dismissed: 'Dismissed',
};

/** What led to the outcome, in words. */
export const decidedByWords: Record<NonNullable<Dispute['decidedBy']>, string> = {
  seller_silent: 'The seller did not answer in time.',
  reassessment: 'The delivery was assessed again, and the score is clear.',
  operator: 'The operator decided.',
  operator_silent: 'The operator did not decide in time, so both sides bear half.',
};
