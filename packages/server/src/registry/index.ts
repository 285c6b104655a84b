export type { AgentRow, Capability } from './agent-row.ts';
export { createAgentAuthentication } from './authentication.ts';
export type { RegistryDeps } from './deps.ts';
export { type Candidate, type CandidateRequest, findCandidates, type Hireable, loadHireable } from './hiring.ts';
export { requireAgent, requireOwnAgent } from './lookup.ts';
export { registryRoutes } from './routes.ts';
export { ownAgent, publicAgent } from './views.ts';
