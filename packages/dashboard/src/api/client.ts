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
});
