import type { Clock } from '../../platform/index.ts';

/** The tokens that opinions may cost in a UTC day. */
export interface Allowance {
  /** Sets tokens aside, or gives null where the day's are used up; the caller says what they came to. */
  reserve(tokens: number): Promise<((spent: number) => void) | null>;
}

interface Source {
  /** 0: no limit. */
  perDay: number;
  clock: Clock;
  /** What the assessments stored since then have cost, so that a restart does not begin a new day. */
  spentSince(from: Date): Promise<number>;
}

const dayMs = 86_400_000;

export function createAllowance({ perDay, clock, spentSince }: Source): Allowance {
  let today: { startMs: number; used: Promise<{ tokens: number }> } | undefined;
  const count = () => {
    const startMs = Math.floor(clock.now().getTime() / dayMs) * dayMs;
    if (today?.startMs !== startMs) {
      const used = spentSince(new Date(startMs)).then((tokens) => ({ tokens }));
      const day = { startMs, used };
      today = day;
      used.catch(() => {
        if (today === day) today = undefined;
      });
    }
    return today!.used;
  };
  return {
    async reserve(tokens) {
      if (perDay === 0) return () => undefined;
      const used = await count();
      if (used.tokens + tokens > perDay) return null;
      used.tokens += tokens;
      return (spent) => {
        used.tokens += spent - tokens;
      };
    },
  };
}
