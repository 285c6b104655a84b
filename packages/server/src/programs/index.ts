export { type GateDeps, programGate, secretsIn } from './credentials.ts';
export { inProcessFetch } from './in-process.ts';
export { noteRefusal, refuseBatch } from './refusal.ts';
