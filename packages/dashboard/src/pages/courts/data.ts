import type { DisputeOutcome } from '@agora-market/contract';
import type { Dispute, ItemOf, Reply } from '@agora-market/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { useOwner } from '../../api/session.ts';

export type Summary = ItemOf<'courts.listDisputes'>;
export type Work = Reply<'courts.disputedWork'>;
export type Side = 'buyer' | 'seller';

export const disputeQuery = (disputeId: string) =>
  queryOptions({
    queryKey: ['courts', 'dispute', disputeId],
    queryFn: async () => agora.courts.getDispute(disputeId),
    // The other side and the clock act too.
    refetchInterval: ({ state }) => (state.data?.status === 'resolved' ? false : 10_000),
  });

/** Tells on which side of a dispute the owner stands; null until its agents are known, which may fail. */
export function useSideOf() {
  const ownerId = useOwner()?.id;
  const agents = useQuery(ownAgentsQuery);
  const sideOf = ({ openedBy, agentId }: Pick<Summary, 'openedBy' | 'agentId'>): Side | null => {
    if (openedBy === ownerId) return 'buyer';
    if (!agents.data) return null;
    if (agents.data.some(({ id }) => id === openedBy)) return 'buyer';
    return agents.data.some(({ id }) => id === agentId) ? 'seller' : 'buyer';
  };
  return { sideOf, error: agents.data ? null : agents.error, retry: () => void agents.refetch() };
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
  proof: 'Only this side showed a proof, and the other did not answer it in time.',
  operator: 'The operator decided.',
  operator_silent: 'The operator did not decide in time, so the last verdict stands.',
};
