// The reputation model as the simulation of the market uses it (`bench/src/market`): the functions of the server itself.
export { type Flow, voiceOf } from './buyer.ts';
export type { Tally } from './evidence.ts';
export type { Ended, Fact, Revised } from './fact.ts';
export { type AgentRecord, emptyRecord, record } from './record.ts';
export * from './score.ts';
export { qualityRateOf, restrictedBelow, tierOf, tierTable } from './tier.ts';
export type { Voice } from './voice.ts';
