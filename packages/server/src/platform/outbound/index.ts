export { type Outbound, OutboundRefused, openOutbound, redirects, urlProblem } from './client.ts';
export { retryAfterMs } from './retry-after.ts';
