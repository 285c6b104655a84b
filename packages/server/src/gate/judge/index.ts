import type { JudgeOpinion } from '@agora-market/contract';
import type { Clock, Config, Logger, Queryable } from '../../platform/index.ts';
import { type Matter, writeBrief } from './brief.ts';
import { ask } from './endpoint.ts';
import { createLanguageJudge, type LanguageJudge } from './language-judge.ts';

export type { LanguageJudge } from './language-judge.ts';

interface Surroundings {
  config: Config;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
  db: Queryable;
}

/** The judge that the settings describe, or null if they name none. */
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

/** Asks the model of the settings about a delivery that is made up, as the gate asks. Null if it has given a verdict. */
export async function tryJudge(config: Config, clock: Clock): Promise<string | null> {
  const { JUDGE_BASE_URL, JUDGE_API_KEY, JUDGE_MODEL } = config;
  if (JUDGE_BASE_URL === undefined || JUDGE_MODEL === undefined) return 'none is set up';
  const answer = await ask({
    endpoint: { baseUrl: JUDGE_BASE_URL, apiKey: JUDGE_API_KEY, model: JUDGE_MODEL },
    brief: writeBrief(madeUp, config.JUDGE_MAX_CHARS),
    timeoutMs: config.JUDGE_CALL_MS,
    clock,
    stopping: new AbortController().signal,
  });
  return answer.status === 'judged' ? null : answer.why;
}

const madeUp: Matter = {
  taskType: 'general',
  input: { description: 'Name the sum of 2 and 3.' },
  output: { result: '5' },
  criteria: [],
  files: [],
};

/** Whether there is one, in a sentence for the operator. */
export function judgeState({ JUDGE_MODEL }: { JUDGE_MODEL?: string | undefined }) {
  if (JUDGE_MODEL !== undefined) return { available: true, detail: `${JUDGE_MODEL} judges scores of 50 to 70` };
  const detail =
    'No judge is set up: what evidence leaves between 50 and 70 is paid as the rules score it. See JUDGE_BASE_URL.';
  return { available: false, detail };
}

/** The judge's entry in an assessment when none is set up and the score is in its band. */
export const noJudge: JudgeOpinion = {
  status: 'not_set_up',
  model: null,
  score: null,
  reasons: 'This server has no judge. The score of the rules stands, which neither proves nor disproves the delivery.',
  tokens: null,
};
