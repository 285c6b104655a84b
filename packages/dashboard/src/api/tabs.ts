import { pageFacts } from './page-facts.ts';

/**
 * What tabs of one browser tell each other: `changed`, a call has changed something on the server; `session`, somebody
 * has signed in or out, which is so for all of them, as they share the cookie.
 */
type News = 'changed' | 'session';

export const channel = new BroadcastChannel(`agora ${pageFacts.base}`);

/** Tells the other tabs, not this one. */
export const tellTabs = (news: News): void => channel.postMessage(news);
