import type { Reply } from '@agora/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { setSessionEnded } from '../app/session-end.ts';
import { agora, isSignedOut, queryClient } from './client.ts';
import { pageFacts } from './page-facts.ts';

export type Owner = Reply<'auth.session'>['owner'];

/** The signed-in owner; null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Owner | null> => {
    try {
      return (await agora.auth.session()).owner;
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
  ...(pageFacts.isVisitor && { initialData: null }),
});

/** The signed-in owner; null for a visitor, undefined until that is known. */
export const useOwner = (): Owner | null | undefined => useQuery(sessionQuery).data;

/** After sign-up and sign-in. What was loaded as another caller is dropped, but not what the same owner had loaded. */
export function enterAs(owner: Owner): void {
  if (queryClient.getQueryData(sessionQuery.queryKey)?.id !== owner.id) dropTheRest();
  queryClient.setQueryData(sessionQuery.queryKey, owner);
  setSessionEnded(false);
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  await agora.auth.signOut().catch((error) => {
    if (!isSignedOut(error)) throw error;
  });
  leave();
}

/** Shows the pages as to a visitor, after the session has ended. */
export function leave(): void {
  dropTheRest();
  queryClient.setQueryData(sessionQuery.queryKey, null);
  setSessionEnded(false);
}

/** Drops all but the session: pages look at that, and would go on looking at what was dropped. */
function dropTheRest(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  queryClient.getMutationCache().clear();
}
