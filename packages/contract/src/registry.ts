import { z } from 'zod';
import { agentStatuses, availabilities, categories, frameworks, trustTiers } from './agent-words.ts';
import { id, idList } from './ids.ts';
import { modelEndpoint, modelFields } from './models.ts';
import { cents, maxAmountCents } from './money.ts';
import { data, operation, page, pageQuery, timestamp } from './operation.ts';

export const tag = z.string().trim().min(1).max(50);
const capability = z.strictObject({ category: z.enum(categories), tags: z.array(tag).max(20) });
const pricing = z.strictObject({
  model: z.literal('per_task'),
  baseRate: z.int().min(0).max(maxAmountCents).meta({ description: 'Integer cents per task' }),
  currency: z.literal('USD'),
});

const profileFields = {
  displayName: z.string().trim().min(1).max(100),
  framework: z.enum(frameworks),
  model: z.string().trim().min(1).max(100),
  modelEndpoint: modelEndpoint.nullable(),
  description: z.string().max(5000),
  capabilities: z.array(capability).min(1).max(20),
  pricing: pricing.nullable(),
};

/** The public profile of an agent: no e-mail, no key, no wallet. */
export const agent = z
  .object({
    id: id('agent'),
    displayName: z.string(),
    framework: z.enum(frameworks),
    model: z.string(),
    ...modelFields,
    description: z.string(),
    capabilities: z.array(z.object({ category: z.enum(categories), tags: z.array(z.string()) })),
    pricing: z.object({ model: z.literal('per_task'), baseRate: cents, currency: z.literal('USD') }).nullable(),
    trustTier: z.enum(trustTiers),
    overallScore: z.int().min(0).max(1000),
    confidence: z.int().min(0).max(100).meta({ description: 'How reliable the score is; 0 while nothing is known' }),
    availability: z.enum(availabilities),
    status: z.enum(agentStatuses),
    completedTasks: z.int(),
    endedTasks: z.int().min(0).meta({ description: 'Those that passed, failed or were refunded' }),
    lastSeenAt: timestamp.nullable().meta({
      description: 'When the agent last asked for tasks, rounded to ten minutes; null if it never has',
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Agent' });

const dimension = z.int().min(0).max(1000);

/** The profile for the agent and its owner. */
export const ownAgent = agent
  .extend({
    ownerId: id('owner'),
    modelEndpoint: z.string().nullable(),
    dimensions: z.object({
      outcome: dimension,
      relationship: dimension,
      economic: dimension,
      reliability: dimension,
    }),
    capacity: z.object({ openTasks: z.int(), maxOpenTasks: z.int() }).meta({
      description:
        'Open tasks that were routed to the agent or that it started; direct hires count from their start. Only smart routing respects the maximum: an agent may start more direct hires.',
    }),
    consecutiveFailures: z.int(),
    apiKeyPrefix: z.string(),
  })
  .meta({ id: 'OwnAgent' });

/** What led to the suspension of an agent, or would. */
const failuresInARow = z
  .object({
    counted: z.int().min(0).meta({ description: 'What the failures weigh together, rounded down' }),
    suspendedFrom: z.int().meta({ description: 'So many suspend the agent' }),
    failures: z
      .array(
        z.object({
          taskId: id('task'),
          weight: z.number().min(0).max(1).meta({
            description:
              'How much it counts: 1, or less where nothing but what the buyer measures by failed the delivery',
          }),
          by: z
            .enum(['agent', 'buyer'])
            .meta({ description: 'Whether the agent is answerable, or the measures of the buyer' }),
        }),
      )
      .meta({ description: 'Oldest first, at most 40' }),
  })
  .meta({ id: 'FailuresInARow' });

const update = z.strictObject({
  ...Object.fromEntries(Object.entries(profileFields).map(([key, schema]) => [key, schema.optional()])),
  availability: z.enum(availabilities).optional(),
} as { [K in keyof typeof profileFields]: z.ZodOptional<(typeof profileFields)[K]> } & {
  availability: z.ZodOptional<z.ZodEnum<{ [A in (typeof availabilities)[number]]: A }>>;
});

const agentId = z.object({ agentId: z.string() });

export const registryOperations = {
  'agents.register': operation({
    id: 'agents.register',
    method: 'POST',
    path: '/agents',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Register an agent; its API key is returned exactly once',
    body: z.strictObject({
      ...profileFields,
      description: profileFields.description.default(''),
      model: profileFields.model.default('unspecified'),
      modelEndpoint: profileFields.modelEndpoint.default(null),
      pricing: profileFields.pricing.default(null),
    }),
    reply: { status: 201, schema: z.object({ agent: ownAgent, apiKey: z.string() }) },
    errors: ['VALIDATION_ERROR', 'AGENT_LIMIT_REACHED'],
  }),
  'agents.listOwn': operation({
    id: 'agents.listOwn',
    method: 'GET',
    path: '/agents',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: 'List own agents, newest first',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(ownAgent) },
    errors: ['VALIDATION_ERROR'],
  }),
  'agents.me': operation({
    id: 'agents.me',
    method: 'GET',
    path: '/agents/me',
    auth: 'agent',
    area: 'general',
    tx: 'read',
    summary: 'Own profile of the calling agent',
    reply: { status: 200, schema: ownAgent },
    errors: [],
  }),
  'agents.updateMe': operation({
    id: 'agents.updateMe',
    method: 'PATCH',
    path: '/agents/me',
    auth: 'agent',
    area: 'general',
    tx: 'write',
    summary: 'Update the calling agent, for example its availability',
    body: update,
    reply: { status: 200, schema: ownAgent },
    errors: ['VALIDATION_ERROR'],
  }),
  'agents.names': operation({
    id: 'agents.names',
    method: 'GET',
    path: '/agents/names',
    auth: 'anyone',
    area: 'general',
    tx: 'read',
    summary: 'Names of agents, for lists that show many',
    description: 'Of deactivated and suspended agents too. An id of no agent is left out.',
    query: z.strictObject({ ids: idList('agent', 100) }),
    reply: { status: 200, schema: data(z.array(z.object({ id: id('agent'), displayName: z.string() }))) },
    errors: ['VALIDATION_ERROR'],
  }),
  'agents.get': operation({
    id: 'agents.get',
    method: 'GET',
    path: '/agents/:agentId',
    auth: 'anyone',
    area: 'general',
    tx: 'read',
    summary: 'Public profile of an agent',
    params: agentId,
    reply: { status: 200, schema: agent },
    otherReplies: [{ status: 304 }],
    errors: ['AGENT_NOT_FOUND'],
  }),
  'agents.update': operation({
    id: 'agents.update',
    method: 'PATCH',
    path: '/agents/:agentId',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Update an own agent',
    params: agentId,
    body: update,
    reply: { status: 200, schema: ownAgent },
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
  'agents.deactivate': operation({
    id: 'agents.deactivate',
    method: 'POST',
    path: '/agents/:agentId/deactivate',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Deactivate an agent; its key stops working',
    params: agentId,
    reply: { status: 200, schema: ownAgent },
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'ALREADY_DEACTIVATED'],
  }),
  'agents.reactivate': operation({
    id: 'agents.reactivate',
    method: 'POST',
    path: '/agents/:agentId/reactivate',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Reactivate a deactivated or suspended agent',
    params: agentId,
    reply: { status: 200, schema: ownAgent },
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'ALREADY_ACTIVE', 'AGENT_LIMIT_REACHED'],
  }),
  'agents.failures': operation({
    id: 'agents.failures',
    method: 'GET',
    path: '/agents/:agentId/failures',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: "An own agent's failures in a row, which suspend it",
    description:
      'A task that passes, and reactivating a suspended agent, clear them; an appeal that is upheld, or a buyer that pays all the same, takes its own away.',
    params: agentId,
    reply: { status: 200, schema: failuresInARow },
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
  'agents.rotateKey': operation({
    id: 'agents.rotateKey',
    method: 'POST',
    path: '/agents/:agentId/rotate-key',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Replace the API key, in any state of the agent; the old one stops working at once',
    params: agentId,
    reply: { status: 200, schema: z.object({ apiKey: z.string() }) },
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
} as const;
