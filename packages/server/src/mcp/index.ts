export { type GateDeps, programGate, secretsIn } from './credentials.ts';
export { inProcessFetch } from './in-process.ts';
export { mountMcp } from './mount.ts';
