import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts tries by key in this process. */
export interface Tries {
  /** Counts one; how long to wait, in ms, where there were too many, else 0. */
  take(key: string): Promise<number>;
  /** Takes back a counted try that did no harm. */
  giveBack(key: string): Promise<void>;
}

export function createTries({ limit, windowSeconds }: { limit: number; windowSeconds: number }): Tries {
  const limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  return {
    async take(key) {
      try {
        await limiter.consume(key);
        return 0;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, refusal.msBeforeNext);
      }
    },
    giveBack: async (key) => void (await limiter.reward(key)),
  };
}
