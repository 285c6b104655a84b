export { Hosts } from './hosts.ts';
export { reviveLeased } from './revive.ts';
export { liveHosts, lockHosts } from './sql.ts';
