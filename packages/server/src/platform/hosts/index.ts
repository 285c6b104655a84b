export { Hosts } from './hosts.ts';
export { reviveLeased } from './revive.ts';
