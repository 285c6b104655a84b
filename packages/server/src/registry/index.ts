import './standing.ts';

export { createAgentAuthentication } from './authentication.ts';
export { type Candidate, findCandidates, type Hireable, loadHireable } from './hiring.ts';
export { requireNamedAgent, requireOwnAgent } from './lookup.ts';
export { registryRoutes } from './routes.ts';
