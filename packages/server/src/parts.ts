// Most of the server, which `serve` loads while PostgreSQL starts.
export { createApp } from './app.ts';
export { peerAddress } from './company.ts';
export { judgeState } from './gate/index.ts';
export { configuredDriver } from './sandbox/index.ts';
export { schemaFunctions } from './schema.ts';
