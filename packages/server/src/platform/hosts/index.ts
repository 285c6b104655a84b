export { createFaults, type Faults } from './faults.ts';
export { Hosts } from './hosts.ts';
export { reviveLeased } from './revive.ts';
export { endAllHosts, liveHosts, lockHosts } from './sql.ts';
