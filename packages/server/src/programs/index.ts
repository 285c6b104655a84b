export { type GateDeps, programGate, secretsIn } from './credentials.ts';
export { createExchanges } from './exchanges.ts';
export { inProcessFetch } from './in-process.ts';
export { noteRefusal, refuseBatch } from './refusal.ts';
