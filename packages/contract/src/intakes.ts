import { z } from 'zod';
import { checkPlace, forgeKinds, forgePlace } from './github.ts';
import { id } from './ids.ts';
import { positiveCents } from './money.ts';
import { type LimitArea, operation, page, pageQuery, timestamp } from './operation.ts';

const fields = {
  repository: z
    .string()
    .max(300)
    .regex(/^[\w.-]{1,100}(?:\/[\w.-]{1,100})+$/, 'must be <account>/<name>')
    .refine((text) => !text.split('/').some((part) => /^\.+$/.test(part)), 'must be <account>/<name>')
    .meta({
      description: 'At GitLab with all groups, as group/subgroup/name',
      examples: ['octocat/hello-world'],
    }),
  maxBudget: positiveCents.meta({ description: 'The most that one task may cost, in cents' }),
  dailyBudget: positiveCents.meta({
    description: 'The most that the tasks of one UTC day may cost together, in cents',
  }),
  agentIds: z.array(id('agent')).min(1).max(20).nullable().default(null).meta({
    description: 'The agents that may be hired, the first one that can is; null for whom the platform chooses',
  }),
};

const intake = z
  .object({
    id: id('intake'),
    forge: z.enum(forgeKinds),
    baseUrl: z.string().meta({ description: 'Where the forge is' }),
    ...fields,
    agentIds: z.array(id('agent')).nullable(),
    webhookUrl: z.string().meta({ description: 'The URL of the webhook at the forge, with type application/json' }),
    createdAt: timestamp,
  })
  .meta({ id: 'Intake' });

const withSecret = intake.extend({
  secret: z.string().nullable().meta({
    description:
      'Of the webhook at the forge; at GitLab its secret token. Shown when the intake is made, and never again: then null. Null too where the GitHub App tells of the repository',
  }),
});

const ofOwner = { auth: 'owner', area: 'oversight' as LimitArea } as const;

/** Repositories at forges whose issues become tasks. */
export const intakeOperations = {
  'github.setIntake': operation({
    ...ofOwner,
    id: 'github.setIntake',
    method: 'PUT',
    path: '/github/intakes',
    tx: 'external',
    summary: 'Let the issues of a repository become tasks, within budgets',
    description:
      'The connected account must be able to write to the repository. For a repository that has an intake, its budgets and agents are replaced, and the secret stays.',
    body: z
      .strictObject({ ...forgePlace, ...fields })
      .superRefine(checkPlace)
      .refine(({ forge, repository }) => forge === 'gitlab' || repository.split('/').length === 2, {
        path: ['repository'],
        message: 'must be <account>/<name>',
      }),
    reply: { status: 200, schema: withSecret },
    errors: ['VALIDATION_ERROR', 'GITHUB_NOT_CONNECTED', 'GITHUB_TOKEN_REFUSED', 'GITHUB_ERROR'],
  }),
  'github.intakes': operation({
    ...ofOwner,
    id: 'github.intakes',
    method: 'GET',
    path: '/github/intakes',
    tx: 'read',
    summary: 'List the repositories whose issues become tasks, newest first',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(intake) },
    errors: ['VALIDATION_ERROR'],
  }),
  'github.removeIntake': operation({
    ...ofOwner,
    id: 'github.removeIntake',
    method: 'DELETE',
    path: '/github/intakes/:intakeId',
    tx: 'write',
    summary: 'Take no more issues of a repository',
    description: 'Tasks under way go on, and are not told of at the forge any more.',
    params: z.object({ intakeId: z.string() }),
    reply: { status: 204 },
    errors: ['INTAKE_NOT_FOUND'],
  }),
  'github.intakeWebhook': operation({
    id: 'github.intakeWebhook',
    method: 'POST',
    path: '/github/intakes/:intakeId/webhook',
    auth: 'public',
    area: 'processor',
    tx: 'external',
    summary: 'For forges: tells of labels and comments',
    description:
      'GitHub signs the body as sent in X-Hub-Signature-256, Gitea in X-Gitea-Signature, Forgejo also in X-Forgejo-Signature; GitLab sends the secret in X-Gitlab-Token. What becomes of it happens after the reply. A delivery that came before changes nothing.',
    params: z.object({ intakeId: z.string() }),
    rawBody: true,
    reply: { status: 202, schema: z.object({ received: z.literal(true) }) },
    errors: ['WEBHOOK_SIGNATURE_INVALID'],
  }),
  'github.appWebhook': operation({
    id: 'github.appWebhook',
    method: 'POST',
    path: '/github/app/webhook',
    auth: 'public',
    area: 'processor',
    tx: 'external',
    summary: "For the operator's GitHub App: tells of labels and comments in all its repositories",
    description:
      'As the webhook of an intake, for the intakes of the owner that has connected the installation. Signed with the secret of the App.',
    rawBody: true,
    reply: { status: 202, schema: z.object({ received: z.literal(true) }) },
    errors: ['WEBHOOK_SIGNATURE_INVALID'],
  }),
} as const;
