import {
  type CountedArea,
  countsAddress,
  type RateLimitScope,
  rateLimitScope,
  rateLimits,
} from '@agora-market/contract';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../api-error.ts';
import type { Config } from '../config/config.ts';
import { isLoopbackAddress } from '../outbound/addresses.ts';
import type { Caller } from './route.ts';
import { countedAddress } from './trusted-proxies.ts';

export interface Usage {
  allowed: boolean;
  remaining: number;
  resetMs: number;
}

/** Counts requests. The memory store serves one process; a shared store takes its place where several serve. */
export interface RateLimitStore {
  /** Counts one request; with 0 `points` it only returns what is left. */
  consume(scope: RateLimitScope, key: string, points?: number): Promise<Usage>;
  close?(): Promise<void>;
}

/** What a limiter answers; it rejects with the same where the limit is reached. */
export async function usageOf(answer: Promise<RateLimiterRes>): Promise<Usage> {
  try {
    const { remainingPoints, msBeforeNext } = await answer;
    return { allowed: true, remaining: remainingPoints, resetMs: msBeforeNext };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { allowed: false, remaining: 0, resetMs: refusal.msBeforeNext };
  }
}

export function memoryStore(limits: Record<RateLimitScope, number>): RateLimitStore {
  const limiters = new Map(
    Object.entries(rateLimits).map(([scope, { windowSeconds }]) => [
      scope,
      new RateLimiterMemory({ points: limits[scope as RateLimitScope], duration: windowSeconds }),
    ]),
  );
  return {
    consume: (scope, key, points = 1) => usageOf((limiters.get(scope) as RateLimiterMemory).consume(key, points)),
  };
}

export function configuredLimits(config: Config): Record<RateLimitScope, number> {
  return Object.fromEntries(
    Object.entries(rateLimits).map(([scope, { setting }]) => [scope, config[setting]]),
  ) as Record<RateLimitScope, number>;
}

/** The limit of a scope for a caller's address; 0 means none. */
export type LimitOf = (scope: RateLimitScope, ip: string) => number;

/** As configured, but on a developer's own machine accounts are made without end, for there is nobody to keep out. */
export function limitsFor(config: Config): LimitOf {
  const limits = configuredLimits(config);
  const isOwnMachine = (ip: string) =>
    config.AGORA_ENV === 'development' && isLoopbackAddress(ip.replace(/^::ffff:/i, ''));
  return (scope, ip) => (scope === 'signUp' && isOwnMachine(ip) ? 0 : limits[scope]);
}

type Counted = { area: CountedArea };

/** Exactly one scope counts a request. */
function scopeOf(operation: Counted | null, caller: Caller, ip: string): [RateLimitScope, string] {
  const scope = rateLimitScope(operation?.area ?? 'general', caller.kind);
  return [scope, countsAddress(scope) ? countedAddress(ip) : limitedKey(caller, ip)];
}

/** Whose requests are counted together, whatever the scope. */
export function limitedKey(caller: Caller, ip: string): string {
  switch (caller.kind) {
    case 'anonymous':
      return countedAddress(ip);
    case 'owner':
      return caller.ownerId;
    case 'agent':
      return caller.agentId;
    case 'trust':
      return caller.keyId;
    case 'operator':
      return 'operator';
  }
}

/** A reply, or a substitute for one. */
export interface LimitHeaders {
  header(name: string, value: string | number): unknown;
}

/** Whether the limit that counts this request is used up; counts nothing itself. */
export async function isUsedUp(
  store: RateLimitStore,
  limitOf: LimitOf,
  request: Parameters<typeof countRequest>[3],
): Promise<boolean> {
  const [scope, key] = scopeOf(request.operation, request.caller, request.ip);
  return limitOf(scope, request.ip) > 0 && (await store.consume(scope, key, 0)).remaining === 0;
}

/** Counts the request, tells what is left in the headers of its reply, and refuses past the limit. */
export async function countRequest(
  store: RateLimitStore,
  limitOf: LimitOf,
  reply: LimitHeaders,
  request: { operation: Counted | null; caller: Caller; ip: string },
  points = 1,
): Promise<void> {
  const [scope, key] = scopeOf(request.operation, request.caller, request.ip);
  const limit = limitOf(scope, request.ip);
  // Without headers: a client would take 0 for a limit that is used up.
  if (limit === 0) return;
  const usage = await store.consume(scope, key, points);
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', usage.remaining);
  if (usage.allowed || points === 0) return;
  const seconds = Math.max(1, Math.ceil(usage.resetMs / 1000));
  reply.header('retry-after', seconds);
  const { setting, windowSeconds } = rateLimits[scope];
  throw new ApiError(
    'RATE_LIMITED',
    `More than ${limit} requests in ${windowSeconds} s. Wait ${seconds} s. The operator sets this limit with ${setting}.`,
    { scope, limit, windowSeconds, setting, retryAfter: seconds },
  );
}
