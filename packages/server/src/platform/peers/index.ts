export type { Peer } from './ask.ts';
export { createPeers, type Peers } from './peers.ts';
