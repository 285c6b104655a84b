import { gate, type JudgeOpinion, type TaskInput, type TaskType } from '@agora-market/contract';
import { rowsForSeller } from './held-out.ts';
import { type LanguageJudge, noJudge } from './judge/index.ts';
import { type Criterion, strongestProof, type Verdict } from './score.ts';

/** A delivery of which only the assessment is left. */
export interface RescoredDelivery {
  ownerId: string;
  taskType: TaskType;
  input: TaskInput;
  output: Record<string, unknown> | null;
  score: number;
  criteria: Criterion[];
}

/**
 * Scores a delivery again that cannot be examined again. The stored evidence counts. If the score is in the judge's
 * band, a judge is asked again and also reads the statements of the dispute. Rejects only with `GateUnavailable`.
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
  const isMeasured = opinion?.score != null || strongestProof(criteria) !== null;
  return { score: result, passed: result >= gate.passScore, isMeasured, criteria, judge: opinion };
}
