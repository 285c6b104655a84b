import { z } from 'zod';
import { id } from './ids.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

/**
 * Result of asking the language-model judge. Only with `judged` its opinion counts; otherwise the verdict of the rules
 * stands. There was no answer (`unreachable`, `timed_out`), the endpoint or the model declined (`refused`), or the
 * answer was no verdict (`malformed`). The judge was not asked because the day's tokens are used up (`over_budget`) or
 * too many calls failed in a row (`paused`). `not_set_up`: the operator has set up no judge.
 */
const judgeStatuses = [
  'judged',
  'unreachable',
  'timed_out',
  'refused',
  'malformed',
  'over_budget',
  'paused',
  'not_set_up',
] as const;

const judgeOpinion = z.object({
  status: z.enum(judgeStatuses),
  model: z.string().nullable(),
  score: z.int().min(0).max(100).nullable().meta({ description: 'null if the opinion does not count' }),
  reasons: z.string(),
  tokens: z.object({ input: z.int().min(0), output: z.int().min(0) }).nullable(),
});
export type JudgeOpinion = z.output<typeof judgeOpinion>;

export const assessment = z
  .object({
    id: id('assessment'),
    taskId: z
      .union([id('task'), id('agreement')])
      .meta({ description: 'The assessed task, or the agreement of the legacy exchange' }),
    score: z.int().min(0).max(100),
    passed: z.boolean(),
    criteria: z.array(
      z.object({
        name: z.string(),
        score: z.int().min(0).max(100).nullable().meta({ description: 'null: not run' }),
        weight: z.number(),
        evidence: z.string(),
      }),
    ),
    judge: judgeOpinion.nullable().meta({ description: 'null if the score of the rules is outside 50 to 70' }),
    purpose: z
      .enum(['gate', 'dispute', 'appeal'])
      .meta({ description: 'What the gate ran for: the delivery, a dispute or an appeal' }),
    appeal: z
      .object({
        status: z.enum(['pending', 'upheld', 'rejected']),
        resultId: id('assessment').nullable().meta({ description: 'The assessment made by the new gate run' }),
      })
      .nullable()
      .meta({ description: "The agent's appeal. `upheld`: the failure no longer counts against the agent" }),
    gateCpuMs: z.int().min(0).nullable().meta({
      description:
        "CPU time of the gate's sandboxes. Only the buyer's side sees it. null if no sandbox ran, and for a moment after the verdict",
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'Assessment' });

export const courtsOperations = {
  'courts.getAssessment': operation({
    id: 'courts.getAssessment',
    method: 'GET',
    path: '/courts/assessments/:assessmentId',
    auth: 'party',
    area: 'general',
    tx: 'read',
    summary: 'One assessment with the evidence for each criterion, for the buyer and the seller',
    params: z.object({ assessmentId: z.string() }),
    reply: { status: 200, schema: assessment },
    errors: ['ASSESSMENT_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'courts.listAssessments': operation({
    id: 'courts.listAssessments',
    method: 'GET',
    path: '/courts/assessments',
    auth: 'party',
    area: 'general',
    tx: 'read',
    summary: 'Assessments of one task, newest first',
    query: z.strictObject({ taskId: id('task'), ...pageQuery }),
    reply: { status: 200, schema: page(assessment) },
    errors: ['VALIDATION_ERROR', 'TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
} as const;
