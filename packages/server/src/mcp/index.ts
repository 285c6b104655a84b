export { allSecrets, refuseWrongSecrets, secretsIn } from './credentials.ts';
export { inProcessFetch } from './in-process.ts';
export { mountMcp } from './mount.ts';
export { refuseForeignPages } from './origin.ts';
