// The reputation model as the simulation of the market uses it (`bench/src/market`): the functions of the server itself.
export { entriesOf, type Told } from './entries.ts';
export type { Tally } from './evidence.ts';
export { type Consequence, emptyState, fold, retier, type Standing, type State, voiceKey } from './fold.ts';
export { type AgentRecord, emptyRecord } from './record.ts';
export * from './score.ts';
export { noTastes, ownWork, type Tastes } from './tastes.ts';
export { qualityRateOf, restrictedBelow, tierTable } from './tier.ts';
