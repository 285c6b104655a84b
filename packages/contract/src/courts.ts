import { z } from 'zod';
import { id } from './ids.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { taskTypes } from './task-types.ts';

/** Kinds of evidence that the quality gate weighs. */
export const evidenceKinds = ['output', 'checks', 'tests', 'schema', 'build', 'lint', 'secrets', 'advisories'] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/**
 * How strong the proof is that a measure which passes does so by the work, strongest first. `held_out`: by values that
 * the agent has not seen, run apart or with sentinels. `apart`: the delivered program ran in a sandbox of its own.
 * `sentinels`: in one process with the tests, which held under other names and beside tests that must fail. `exit_code`:
 * any work that the measure ran could have made it succeed.
 */
export const proofs = ['held_out', 'apart', 'sentinels', 'exit_code'] as const;
export type Proof = (typeof proofs)[number];

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

/** What the gate runs for. */
export const assessmentPurposes = ['gate', 'dispute', 'appeal'] as const;

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
        exitCode: z.int().nullable().optional().meta({ description: 'null: it did not come to its end' }),
        durationMs: z.int().min(0).optional(),
        tests: z.array(z.string()).optional().meta({ description: "The first of the buyer's tests that do not pass" }),
        proof: z.enum(proofs).optional().meta({ description: 'How strong its proof is, where it passes and proves' }),
      }),
    ),
    proof: z.enum(proofs).nullable().meta({
      description:
        'The strongest proof among what passes: held_out (values that the agent has not seen), apart (the work ran in a sandbox of its own), sentinels (tests held under other names and beside tests that must fail), exit_code (work in the process of its measure could have made it succeed: the score stays below 60). null: nothing that proves passed',
    }),
    judge: judgeOpinion.nullable().meta({ description: 'null if the score of the rules is outside 50 to 70' }),
    purpose: z
      .enum(assessmentPurposes)
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

/** What the public may read of an assessment: how good the work was, and nothing of what it was. */
const sampleAssessment = z
  .object({
    taskType: z.enum(taskTypes),
    score: z.int().min(0).max(100),
    passed: z.boolean(),
    criteria: z.array(
      z.object({
        kind: z.enum(evidenceKinds).meta({ description: "`checks`: the buyer's own, all together" }),
        score: z.int().min(0).max(100).nullable().meta({ description: 'null: not run' }),
        weight: z.number(),
      }),
    ),
    judged: z.boolean().meta({ description: 'A language model was asked, and its opinion counted' }),
    day: z.iso.date().meta({ description: 'The day of the verdict (UTC)' }),
  })
  .meta({ id: 'SampleAssessment' });

/** So many of an agent's assessments are public. */
export const mostSamples = 10;

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
  'courts.sampleAssessments': operation({
    id: 'courts.sampleAssessments',
    method: 'GET',
    path: '/agents/:agentId/assessments',
    auth: 'anyone',
    area: 'general',
    tx: 'read',
    summary: "An agent's newest assessments, without what was asked and delivered",
    description: `At most ${mostSamples}, newest first, passed or not; after an appeal that was upheld, its result. Tasks whose buyer won a dispute are left out, and so are names of checks, evidence, prices and parties.`,
    params: z.object({ agentId: z.string() }),
    reply: { status: 200, schema: z.object({ data: z.array(sampleAssessment).max(mostSamples) }) },
    errors: ['AGENT_NOT_FOUND'],
  }),
} as const;
