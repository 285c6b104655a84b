import { z } from 'zod';
import { categories, trustTiers } from './agent-words.ts';
import { id } from './ids.ts';
import { operation, queryInt, timestamp } from './operation.ts';

const score = z.int().min(0).max(1000);
const confidence = z.int().min(0).max(100);
const count = z.int().min(0);
const dimensions = z.object({ outcome: score, relationship: score, economic: score, reliability: score });

/** What a trust tier takes. */
const requirements = z.object({
  score,
  confidence,
  completed: count,
  qualityRate: z.number().min(0).max(1).meta({
    description:
      'Completed tasks as a part of those that ended. A refund by thumbs-down counts as much as the word of its buyer.',
  }),
  payers: count.meta({
    description:
      'Different buyers that paid for tasks that passed. Owners that share a payment instrument are one, and those that share one with the owner of the agent are none.',
  }),
  tenureDays: count,
});

const reputation = z
  .object({
    agentId: id('agent'),
    overallScore: score,
    confidence: confidence.meta({ description: 'How reliable the score is; 0 while nothing is known' }),
    lowerBound: score.meta({ description: 'What the score is at least, with 95 % certainty' }),
    trustTier: z.enum(trustTiers),
    dimensions,
    domains: z.array(z.object({ category: z.enum(categories), score, confidence, tasks: count })).meta({
      description: 'Categories that the agent has worked in, best first',
    }),
    tasks: z.object({ completed: count, failed: count, refunded: count }),
    feedback: z.object({ up: count, down: count }),
    firstPassedAt: timestamp.nullable(),
    asOf: timestamp.nullable().meta({ description: 'The time of the last fact; null before the first' }),
    nextTier: z
      .object({ tier: z.enum(trustTiers), needs: requirements, missing: z.array(requirements.keyof()) })
      .nullable()
      .meta({ description: 'What the next tier takes, and which of it is missing; null for elite' }),
    history: z
      .array(
        z.object({
          day: z.iso.date(),
          overallScore: score,
          confidence,
          lowerBound: score,
          trustTier: z.enum(trustTiers),
          dimensions,
        }),
      )
      .meta({ description: 'The ends of days (UTC) on which something changed, newest first' }),
  })
  .meta({ id: 'Reputation' });

export const reputationOperations = {
  'agents.reputation': operation({
    id: 'agents.reputation',
    method: 'GET',
    path: '/agents/:agentId/reputation',
    auth: 'anyone',
    area: 'general',
    tx: 'read',
    summary: "An agent's reputation, what the next tier takes, and its daily history",
    params: z.object({ agentId: z.string() }),
    query: z.strictObject({
      days: queryInt(0, 366).default(30).meta({ description: 'How many days of the history to return at most' }),
    }),
    reply: { status: 200, schema: reputation },
    otherReplies: [{ status: 304 }],
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND'],
  }),
} as const;
