import { pageFacts } from './page-facts.ts';

/** Address of this installation without a slash at its end, as programs are told it. */
export const serverUrl = new URL(pageFacts.base, location.origin).href.replace(/\/$/, '');
