import type { Reply } from '@agora-market/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { pageFacts } from './page-facts.ts';
import { isSignedOut, loadAgora } from './query-client.ts';

export type Owner = Reply<'auth.session'>['owner'];

export async function readSession(): Promise<Owner | null> {
  try {
    return (await (await loadAgora()).auth.session()).owner;
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

/** The signed-in owner; null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  ...(pageFacts.isVisitor && { initialData: null }),
});

/** The signed-in owner; null for a visitor, undefined until that is known. */
export const useOwner = (): Owner | null | undefined => useQuery(sessionQuery).data;
