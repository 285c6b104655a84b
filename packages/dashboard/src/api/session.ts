import type { Reply } from '@agora/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { setSessionEnded } from '../app/session-end.ts';
import { keepDraftsOf } from '../ui/form.ts';
import { say } from '../ui/toast.tsx';
import { agora, isNotSession, isSignedOut, queryClient } from './client.ts';
import { pageFacts } from './page-facts.ts';
import { hearTabs, tellTabs } from './tabs.ts';

export type Owner = Reply<'auth.session'>['owner'];

async function readSession(): Promise<Owner | null> {
  try {
    const { owner } = await agora.auth.session();
    keepDraftsOf(owner.id);
    return owner;
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

/** After sign-up and sign-in. */
export function enterAs(owner: Owner): void {
  showAs(owner);
  tellTabs('session');
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
  showAs(null);
  tellTabs('session');
}

// The cookie is of all tabs: one that went on showing what it showed would act as somebody else.
hearTabs('session', async () => {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  // Without an answer the next request of the page tells.
  const owner = await readSession().catch(() => undefined);
  if (owner === undefined) return;
  showAs(owner);
  if (before && !owner) say('You signed out in another tab.');
});

/** What was loaded as another caller is dropped, but not what the same owner had loaded. */
function showAs(owner: Owner | null): void {
  if (owner) keepDraftsOf(owner.id);
  if (!owner || queryClient.getQueryData(sessionQuery.queryKey)?.id !== owner.id) dropTheRest();
  queryClient.setQueryData(sessionQuery.queryKey, owner);
  setSessionEnded(false);
  if (owner) void queryClient.invalidateQueries({ predicate: isNotSession });
}

/** Drops all but the session: pages look at that, and would go on looking at what was dropped. */
function dropTheRest(): void {
  queryClient.removeQueries({ predicate: isNotSession });
  queryClient.getMutationCache().clear();
}
