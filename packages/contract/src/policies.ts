import { z } from 'zod';
import { categories } from './agent-words.ts';
import { buyerLimits } from './buyers.ts';
import { id } from './ids.ts';
import { maxVersion, ownedAtMost, taskMessages } from './limits.ts';
import { cents, maxAmountCents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { timeZone } from './time-zone.ts';
import { weekdays } from './weekdays.ts';

const localTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a local time from 00:00 to 23:59')
  .meta({ examples: ['09:00'] });

const operatingHours = z.strictObject({
  timeZone,
  days: z.array(z.enum(weekdays)).min(1).max(weekdays.length).meta({ description: 'Days on which the hours begin' }),
  from: localTime,
  to: localTime.meta({
    description: 'The first minute after the hours; not later than `from` means on the next day',
  }),
});
export type OperatingHours = z.output<typeof operatingHours>;

const limit = (what: string) =>
  cents
    .max(maxAmountCents)
    .nullable()
    .meta({ description: `${what}, in integer cents; null means no limit` });

const rules = {
  perTransactionMax: limit('Maximum that one task may hold'),
  approvalThreshold: limit('A task that an agent submits and that holds more needs an approval'),
  allowedCategories: z
    .array(z.enum(categories))
    .max(categories.length)
    .nullable()
    .meta({ description: 'Other categories are refused; null allows all' }),
  operatingHours: operatingHours.nullable().meta({ description: 'null means at any time' }),
  blockedCounterparties: z
    .array(z.union([id('agent'), id('owner')]))
    .max(ownedAtMost.blockedCounterparties)
    .meta({ description: 'Ids of agents and owners to have no dealings with' }),
  buyerLimits: buyerLimits
    .nullable()
    .optional()
    .meta({ description: "Whose tasks agents take. null: everybody's but those of unusual buyers; {}: everybody's" }),
  defaultAnswer: z
    .string()
    .trim()
    .min(1)
    .max(taskMessages.defaultAnswerChars)
    .nullable()
    .optional()
    .meta({ description: 'What questions about submitted tasks are answered with at once; null: you answer them' }),
};

const policy = z
  .object({
    agentId: id('agent').nullable().meta({ description: 'The agent that it binds; null for the owner-wide policy' }),
    version: z.int().min(0).meta({ description: 'Goes up by one with each change; 0: nothing was set yet' }),
    ...rules,
    buyerLimits: rules.buyerLimits.unwrap(),
    defaultAnswer: rules.defaultAnswer.unwrap(),
    updatedAt: timestamp.nullable(),
  })
  .meta({ id: 'Policy' });

const version = z
  .int()
  .min(0)
  .max(maxVersion)
  .meta({ description: 'The version that the change is based on; another one is 409 `VERSION_CONFLICT`' });
const body = z.strictObject({ version, ...rules });

/** What an owner allows: itself and all its agents, or one of its agents. */
export const policyOperations = {
  'embassy.listPolicies': operation({
    id: 'embassy.listPolicies',
    method: 'GET',
    path: '/embassy/policies',
    auth: 'owner',
    area: 'oversight',
    tx: 'read',
    summary: 'The owner-wide policy, then those of own agents that have one',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(policy) },
    errors: ['VALIDATION_ERROR'],
  }),
  'embassy.setOwnerPolicy': operation({
    id: 'embassy.setOwnerPolicy',
    method: 'PUT',
    path: '/embassy/policies',
    auth: 'owner',
    area: 'oversight',
    tx: 'write',
    summary: 'Set the owner-wide policy',
    description:
      'Binds what the owner submits, what its agents submit, and what they take. `approvalThreshold` is for agents alone. ' +
      'What breaks a rule is 403 `POLICY_DENIED` with the rule in the details.',
    body,
    reply: { status: 200, schema: policy },
    errors: ['VALIDATION_ERROR', 'VERSION_CONFLICT'],
  }),
  'embassy.setPolicy': operation({
    id: 'embassy.setPolicy',
    method: 'PUT',
    path: '/embassy/policies/:agentId',
    auth: 'owner',
    area: 'oversight',
    tx: 'write',
    summary: 'Set the policy of an own agent',
    description:
      'Binds what the agent submits, beside the owner-wide policy, and what it takes: it gets no task of another category, ' +
      'out of its hours, of a blocked buyer, or of one outside its limits. A direct hire is then 403 `POLICY_DENIED`.',
    params: z.object({ agentId: z.string() }),
    body,
    reply: { status: 200, schema: policy },
    errors: ['VALIDATION_ERROR', 'VERSION_CONFLICT', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
} as const;
