export { type Outbound, OutboundRefused, openOutbound, redirects, urlProblem } from './client.ts';
