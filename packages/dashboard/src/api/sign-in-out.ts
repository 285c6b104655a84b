import { setSessionEnded } from '../app/session-end.ts';
import { agora } from './client.ts';
import { isSignedOut, queryClient } from './query-client.ts';
import { type Owner, sessionQuery } from './session.ts';
import { tellTabs } from './tabs.ts';

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

/** What was loaded as another caller is dropped, but not what the same owner had loaded. */
export function showAs(owner: Owner | null): void {
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

/** The session is no data of a page: whoever signs in or out sets it. */
export const isNotSession = ({ queryKey }: { queryKey: readonly unknown[] }): boolean => queryKey[0] !== 'session';
