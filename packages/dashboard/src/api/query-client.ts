import { AgoraError } from '@agora-market/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { setSessionEnded } from '../app/session-end.ts';
import { tellTabs } from './tabs.ts';

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

/** The API for what a visitor sees first: its code comes after the page, which does not wait for it. */
export const loadAgora = async () => (await import('./client.ts')).agora;
