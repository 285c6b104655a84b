import { Agora } from '@agora-market/sdk';
import { pageFacts } from './page-facts.ts';

/**
 * The API as the signed-in owner: the browser adds the session's cookie, which no script can read. A page shows a
 * failure at once rather than retry in silence for long.
 */
export const agora = new Agora({
  baseUrl: new URL(pageFacts.base, location.origin).href,
  maxRetries: 1,
  longestWaitMs: 2_000,
  // Streams stay open beside what a page waits for.
  fetch: (input, init) => fetch(input, isStream(init) ? { ...init, priority: 'low' } : init),
});

const isStream = (init?: RequestInit) => new Headers(init?.headers).get('accept') === 'text/event-stream';
