import { z } from 'zod';
import { id } from './ids.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

export const assessment = z
  .object({
    id: id('assessment'),
    taskId: id('task'),
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
    judge: z
      .object({ status: z.string(), model: z.string().nullable(), score: z.int().nullable(), reasons: z.string() })
      .nullable(),
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
    summary: 'One assessment with the evidence of every criterion, for buyer and seller',
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
    summary: 'Assessments of one task',
    query: z.strictObject({ taskId: id('task'), ...pageQuery }),
    reply: { status: 200, schema: page(assessment) },
    errors: ['VALIDATION_ERROR', 'TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
} as const;
