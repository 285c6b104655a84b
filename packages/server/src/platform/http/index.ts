export { purgeKeys } from './idempotency.ts';
export { configuredLimits, memoryStore, type RateLimitStore } from './rate-limit.ts';
export { type Authenticate, createHttpServer, type HttpDeps, mountRoutes, publicCounter } from './server.ts';
