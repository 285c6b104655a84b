import './open-tasks.ts';

export { createAgentAuthentication } from './authentication.ts';
export { buyerRecords, unusualBuyer } from './buyers.ts';
export {
  type Candidate,
  type CandidateRequest,
  candidateOf,
  candidatesAmong,
  type Found,
  findCandidates,
  findMatching,
  looks,
  mostCandidates,
  type Reach,
} from './candidates.ts';
export { endAgentKeys, forgetAgents, stopAgents } from './erase.ts';
export { type Hireable, loadHireable } from './hiring.ts';
export { registryJobs } from './jobs.ts';
export { createLiveness, type Liveness } from './liveness.ts';
export { requireNamedAgent, requireOwnAgent } from './lookup.ts';
export { type Reputation, reputationsOf } from './reputation/read.ts';
export { reputationModel } from './reputation/rebuild.ts';
export { type Recomputed, type RecomputeOptions, recomputeReputations } from './reputation/recompute.ts';
export { newcomerFrom } from './reputation/weights.ts';
export { registryRoutes } from './routes.ts';
export { orderJob } from './search/index.ts';
export { findAgents, isKeyOf, lockOwner, noteUnanswered } from './sql.ts';
export { followPolicies, takesBuyer, takesTasksOf, type WorkRules } from './work-rules.ts';
