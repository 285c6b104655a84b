import { gate, type JudgeOpinion, type TaskInput, type TaskType } from '@agora/contract';
import { rowsForSeller } from './held-out.ts';
import { type LanguageJudge, noJudge } from './judge/index.ts';
import type { Criterion, Verdict } from './score.ts';

/** A delivery of which the assessment is all that is left to look at. */
export interface RescoredDelivery {
  ownerId: string;
  taskType: TaskType;
  input: TaskInput;
  output: Record<string, unknown> | null;
  score: number;
  criteria: Criterion[];
}

/**
 * Judges once more what cannot be examined once more: the evidence stands as it was written down, and in its band a
 * judge is asked again, who now reads what the parties of a dispute say. Rejects with `GateUnavailable` only.
 */
export async function rescore(
  { ownerId, taskType, input, output, score, criteria }: RescoredDelivery,
  judge: LanguageJudge | null,
  dispute: string | null,
): Promise<Verdict> {
  let opinion: JudgeOpinion | null = null;
  if (score >= gate.judgeFrom && score <= gate.judgeTo) {
    opinion =
      judge === null
        ? noJudge
        : await judge.opinionOn(
            { taskType, input, output, criteria: rowsForSeller(criteria), files: [], dispute },
            ownerId,
          );
  }
  const mean = opinion === null || opinion.score === null ? score : Math.round((score + opinion.score) / 2);
  const declared = criteria.find(({ name, weight }) => name === 'declared' && weight === 0)?.score ?? 100;
  const result = Math.min(mean, declared);
  return { score: result, passed: result >= gate.passScore, criteria, judge: opinion };
}
