// The routing rule as the simulation of the market (`bench/src/market`) and the bench `routing` use it: the functions of
// the server itself.

// Routing asks it whether tasks wait.
export { createQueueHints } from '../queue/hints.ts';
export { besidesQuality, type Contender, choose, type Decision } from './choose.ts';
export { routed, type ToRoute } from './routing.ts';
export { routingWeights } from './weights.ts';
