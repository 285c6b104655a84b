export { type Peer, PeerAway } from './ask.ts';
export { createPeers, type Peers } from './peers.ts';
