export { Hosts } from './hosts.ts';
