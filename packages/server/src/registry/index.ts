import './reputation.ts';

export { createAgentAuthentication } from './authentication.ts';
export { type Candidate, findCandidates, type Hireable, loadHireable } from './hiring.ts';
export { createLiveness, type Liveness } from './liveness.ts';
export { requireNamedAgent, requireOwnAgent } from './lookup.ts';
export { recordOverturned, strikeFailure } from './overturned.ts';
export { registryRoutes } from './routes.ts';
export { orderJob } from './search/index.ts';
export { findAgents, noteUnanswered } from './sql.ts';
