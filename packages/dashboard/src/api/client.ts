import { Agora, AgoraError } from '@agora-market/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { setSessionEnded } from '../app/session-end.ts';
import { pageFacts } from './page-facts.ts';
import { tellTabs } from './tabs.ts';

/**
 * The API as the signed-in owner: the browser adds the session's cookie, which no script can read. A page shows a
 * failure at once rather than retry in silence for long.
 */
export const agora = new Agora({
  baseUrl: new URL(pageFacts.base, location.origin).href,
  maxRetries: 1,
  longestWaitMs: 2_000,
});

/** Whether a call failed because there is no session (any more). */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof AgoraError && (error.code === 'INVALID_SESSION' || error.code === 'MISSING_CREDENTIALS');

/** Other failures say nothing about the session: a wrong password must not close the dialog that asks for it. */
const watch = { onError: (error: unknown) => void (isSignedOut(error) && setSessionEnded(true)) };

export const queryClient = new QueryClient({
  queryCache: new QueryCache(watch),
  mutationCache: new MutationCache({ ...watch, onSuccess: () => tellTabs('changed') }),
  defaultOptions: {
    // The SDK has retried already. Offline a page says so rather than wait, and asks anew when that is over.
    queries: { retry: false, staleTime: 5_000, networkMode: 'always', refetchOnReconnect: true },
    mutations: { retry: false, networkMode: 'always' },
  },
});
