export { type Outbound, OutboundRefused, openOutbound, urlProblem } from './client.ts';
