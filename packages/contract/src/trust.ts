import { z } from 'zod';
import { agentStatuses, categories, trustTiers } from './agent-words.ts';
import { id } from './ids.ts';
import { maxTrustBatch, ownedAtMost, trustQueriesByPlan } from './limits.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

/** What a stranger may entrust to an agent, from nothing known to the most. */
export const recommendations = [
  'not_yet_rated',
  'suitable_for_low_value_tasks',
  'suitable_for_medium_value_tasks',
  'suitable_for_high_value_tasks',
  'highest_trust',
] as const;
export type Recommendation = (typeof recommendations)[number];

const score = z.int().min(0).max(1000);
const confidence = z.int().min(0).max(100).meta({ description: 'How much is known: 0 is nothing, 100 is enough' });
const count = z.int().min(0);

const trustSummary = z
  .object({
    agentId: id('agent'),
    status: z.enum(agentStatuses),
    trustTier: z.enum(trustTiers),
    overallScore: score,
    confidence,
    dimensions: z.object({ outcome: score, relationship: score, economic: score, reliability: score }),
    domains: z.array(z.object({ category: z.enum(categories), score, confidence, tasks: count })),
    completedTasks: count,
    disputeSummary: z
      .object({ filed: count, open: count, won: count, lost: count, split: count })
      .meta({ description: 'Disputes about work of the agent, and how they ended for it' }),
    recommendation: z.enum(recommendations),
  })
  .meta({ id: 'TrustSummary' });
export type TrustSummary = z.output<typeof trustSummary>;

const trustKey = z
  .object({
    id: id('trustKey'),
    name: z.string(),
    keyPrefix: z.string(),
    plan: z.enum(Object.keys(trustQueriesByPlan) as [keyof typeof trustQueriesByPlan]),
    dailyLimit: count.meta({ description: 'Agents that all keys of the owner together may ask about in a UTC day' }),
    dailyUsage: count.meta({ description: 'Asked about today by all keys of the owner, or set aside by a server' }),
    status: z.enum(['active', 'revoked']),
    createdAt: timestamp,
    revokedAt: timestamp.nullable(),
  })
  .meta({ id: 'TrustKey' });

const agentId = z.object({ agentId: z.string() });
const ofOwner = { auth: 'owner', area: 'oversight' } as const;
const ofConsumer = { auth: 'trust', area: 'oversight', tx: 'read' } as const;

/** Ids that a query names, separated by commas. */
const ids = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(',') : given),
  z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(maxTrustBatch)
    .meta({ description: `1 to ${maxTrustBatch} ids of agents, separated by commas` }),
);

/** Reputation for those who do not use the marketplace: keys, summaries and signed attestations. */
export const trustOperations = {
  'trust.createKey': operation({
    ...ofOwner,
    id: 'trust.createKey',
    method: 'POST',
    path: '/trust/keys',
    tx: 'write',
    summary: 'Create a trust key, which only reads reputation; it is shown once',
    description: `An owner can have ${ownedAtMost.trustKeys} active keys. They share the daily limit of the plan. Needs a verified e-mail address.`,
    body: z.strictObject({ name: z.string().trim().min(1).max(200) }),
    reply: { status: 201, schema: trustKey.extend({ key: z.string() }) },
    errors: ['VALIDATION_ERROR', 'EMAIL_NOT_VERIFIED', 'TRUST_KEY_LIMIT_REACHED'],
  }),
  'trust.listKeys': operation({
    ...ofOwner,
    id: 'trust.listKeys',
    method: 'GET',
    path: '/trust/keys',
    tx: 'read',
    summary: 'List trust keys, newest first, revoked ones too',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(trustKey) },
    errors: ['VALIDATION_ERROR'],
  }),
  'trust.revokeKey': operation({
    ...ofOwner,
    id: 'trust.revokeKey',
    method: 'DELETE',
    path: '/trust/keys/:keyId',
    tx: 'write',
    summary: 'Revoke a trust key; it stops working at once',
    params: z.object({ keyId: z.string() }),
    reply: { status: 204 },
    errors: ['TRUST_KEY_NOT_FOUND', 'WRONG_STATE'],
  }),
  'trust.getAgent': operation({
    ...ofConsumer,
    id: 'trust.getAgent',
    method: 'GET',
    path: '/trust/agents/:agentId',
    summary: 'Reputation of an agent, with a recommendation',
    description: 'Counts one of the daily limit, also if the reply is 304 or 404.',
    params: agentId,
    reply: { status: 200, schema: trustSummary },
    otherReplies: [{ status: 304 }],
    errors: ['AGENT_NOT_FOUND'],
  }),
  'trust.getAgents': operation({
    ...ofConsumer,
    id: 'trust.getAgents',
    method: 'GET',
    path: '/trust/agents',
    summary: 'Reputation of several agents, in the order of their ids',
    description: `Counts one of the daily limit for each id. Unknown ids have an error in place of a summary.`,
    query: z.strictObject({ ids }),
    reply: {
      status: 200,
      schema: z.object({
        data: z.array(
          z.object({
            agentId: z.string().meta({ description: 'As it was asked for' }),
            summary: trustSummary.nullable(),
            error: z.object({ code: z.literal('AGENT_NOT_FOUND'), message: z.string() }).nullable(),
          }),
        ),
      }),
    },
    otherReplies: [{ status: 304 }],
    errors: ['VALIDATION_ERROR'],
  }),
  'trust.attestation': operation({
    ...ofConsumer,
    id: 'trust.attestation',
    method: 'GET',
    path: '/trust/agents/:agentId/attestation',
    summary: 'Signed attestation of an agent’s reputation, which verifies offline',
    description:
      'A JWT (JWS in compact form) signed with EdDSA. Claims: `iss` the address of the installation, `sub` the agent, `iat`, `exp` an hour later, and `trust`, the summary. The keys are at /.well-known/jwks.json. Counts one of the daily limit.',
    params: agentId,
    reply: { status: 200, schema: z.string(), contentType: 'application/jose' },
    errors: ['AGENT_NOT_FOUND'],
  }),
} as const;
