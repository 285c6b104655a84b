import type { Clock, Config, Logger, Queryable } from '../../platform/index.ts';
import { createLanguageJudge, type LanguageJudge } from './language-judge.ts';

export type { LanguageJudge } from './language-judge.ts';

interface Surroundings {
  config: Config;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
  db: Queryable;
}

/** The judge that the settings describe, or null where they name none. */
export function configuredJudge({ config, ...surroundings }: Surroundings): LanguageJudge | null {
  const { JUDGE_BASE_URL, JUDGE_API_KEY, JUDGE_MODEL } = config;
  if (JUDGE_BASE_URL === undefined || JUDGE_MODEL === undefined) return null;
  return createLanguageJudge({
    endpoint: { baseUrl: JUDGE_BASE_URL, apiKey: JUDGE_API_KEY, model: JUDGE_MODEL },
    maxChars: config.JUDGE_MAX_CHARS,
    maxTokensADay: config.JUDGE_MAX_TOKENS_A_DAY,
    ownerPercent: config.JUDGE_OWNER_PERCENT,
    callMs: config.JUDGE_CALL_MS,
    totalMs: config.JUDGE_TOTAL_MS,
    ...surroundings,
  });
}
