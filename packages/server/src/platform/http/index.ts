export { isKnown } from './conditional.ts';
export { createCredentialGate } from './credential-gate.ts';
export { toApiError } from './error-reply.ts';
export type { RequireCaller } from './execute.ts';
export { keysDue, purgeKeys } from './idempotency.ts';
export { configuredStore } from './limit-store.ts';
export { configuredLimits, isUsedUp, limitsFor, memoryStore, type RateLimitStore } from './rate-limit.ts';
export { type Authenticate, createHttpServer, mountRoutes, notFound, publicCounter } from './server.ts';
export { endOf, type Uses } from './sunset.ts';
