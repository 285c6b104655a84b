import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { configuredLimits, memoryStore, type RateLimitStore } from './rate-limit.ts';
import { redisStore } from './redis-store.ts';

/** Where rate limits are counted according to the settings. */
export function configuredStore(config: Config, log: Logger): RateLimitStore {
  const limits = configuredLimits(config);
  return config.REDIS_URL === undefined ? memoryStore(limits) : redisStore(limits, config.REDIS_URL, log);
}
