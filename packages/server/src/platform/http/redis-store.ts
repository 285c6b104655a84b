import { type RateLimitScope, rateLimits } from '@agora-market/contract';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Logger } from '../log.ts';
import { memoryStore, type RateLimitStore, usageOf } from './rate-limit.ts';
import { openRedis } from './redis-client.ts';

/** A store that does not answer in this time is taken for down. */
const answerMs = 500;
/** So long nobody asks a store that was down, so that one that hangs does not delay every request. */
const pauseMs = 1_000;
/** The longest time between two tries to connect. */
const againMs = 1_000;

/**
 * Counts requests in Redis or Valkey, for all servers that share it. While it cannot be reached each server counts by
 * itself: nobody is refused for it, and the limits hold for each server.
 */
export function redisStore(limits: Record<RateLimitScope, number>, url: string, log: Logger): RateLimitStore {
  const client = openRedis(url, {
    connectMs: answerMs * 4,
    commandMs: answerMs,
    again: (times) => Math.min(times * 100, againMs),
  });
  client.on('error', () => {});
  client.connect().catch(() => {});
  const scopes = Object.entries(rateLimits) as [RateLimitScope, (typeof rateLimits)[RateLimitScope]][];
  const shared = new Map(
    scopes.map(([scope, { windowSeconds }]) => [
      scope,
      new RateLimiterRedis({
        storeClient: client,
        rejectIfRedisNotReady: true,
        keyPrefix: `agora:limit:${scope}`,
        points: limits[scope],
        duration: windowSeconds,
      }),
    ]),
  );
  const own = memoryStore(limits);
  let downUntilMs = 0;
  let isDown = false;
  const note = (down: boolean, error?: unknown) => {
    if (down) downUntilMs = performance.now() + pauseMs;
    if (down === isDown) return;
    isDown = down;
    if (down) log.warn({ err: error }, 'REDIS_URL does not answer; this server counts rate limits by itself');
    else log.info('REDIS_URL answers again; rate limits are counted there');
  };
  return {
    async consume(scope, key, points = 1) {
      if (performance.now() < downUntilMs) return own.consume(scope, key, points);
      try {
        const usage = await usageOf((shared.get(scope) as RateLimiterRedis).consume(key, points));
        note(false);
        return usage;
      } catch (error) {
        note(true, error);
        return own.consume(scope, key, points);
      }
    },
    close: async () => client.disconnect(),
  };
}
