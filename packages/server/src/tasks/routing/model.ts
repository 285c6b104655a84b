// The routing rule as the simulation of the market uses it (`bench/src/market`): the functions of the server itself.
export { besidesQuality, type Contender, choose, type Decision } from './choose.ts';
export { routingWeights } from './weights.ts';
