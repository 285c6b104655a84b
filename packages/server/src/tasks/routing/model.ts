// The routing rule as the simulation of the market (`bench/src/market`) and the bench `routing` use it: the functions of
// the server itself.

export {
  type Candidate,
  candidateOf,
  type Found,
  looks,
  mostCandidates,
  type Reach,
  reputationModel,
} from '../../registry/index.ts';
// Routing asks it whether tasks wait.
export { createQueueHints } from '../queue/hints.ts';
export { besidesQuality, type Contender, choose, type Decision } from './choose.ts';
export { contenderOf, routed, type ToRoute } from './routing.ts';
export { routingWeights } from './weights.ts';
