import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { configuredLimits, memoryStore, type RateLimitStore } from './rate-limit.ts';

/** Where rate limits are counted according to the settings. */
export async function configuredStore(config: Config, log: Logger): Promise<RateLimitStore> {
  const limits = configuredLimits(config);
  if (config.REDIS_URL === undefined) return memoryStore(limits);
  const { redisStore } = await import('./redis-store.ts');
  return redisStore(limits, config.REDIS_URL, log);
}
