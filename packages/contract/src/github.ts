import { z } from 'zod';
import { type LimitArea, operation, page, pageQuery, timestamp } from './operation.ts';

/** Where repositories and their issues are. Forgejo answers as Gitea does. */
export const forgeKinds = ['github', 'gitea', 'gitlab'] as const;
export type ForgeKind = (typeof forgeKinds)[number];

/** What people call them. */
export const forgeNames: Record<ForgeKind, string> = { github: 'GitHub', gitea: 'Gitea', gitlab: 'GitLab' };

/** Which forge an operation is about. */
export const forgePlace = {
  forge: z.enum(forgeKinds).default('github').meta({ description: '`gitea` is Forgejo too' }),
  baseUrl: z
    .string()
    .max(300)
    .optional()
    .meta({
      description: 'Address of a Gitea or GitLab, with https. Default for GitLab: https://gitlab.com. Not with github',
      examples: ['https://codeberg.org'],
    }),
};

/** Refuses an address where there is none to choose, and its lack where there is. */
export function checkPlace(
  { forge, baseUrl }: { forge: ForgeKind; baseUrl?: string | undefined },
  context: z.RefinementCtx,
) {
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['baseUrl'], message });
  if (forge === 'github' && baseUrl !== undefined) refuse("is the operator's choice with github. Omit it");
  if (forge === 'gitea' && baseUrl === undefined) refuse('is needed with gitea, as https://codeberg.org');
}

/** A connection to a forge. Nothing here, and no other reply, has the token. */
const connection = z
  .object({
    connected: z.boolean(),
    forge: z.enum(forgeKinds),
    baseUrl: z.string().meta({ description: 'Where the forge is' }),
    login: z.string().nullable().meta({ description: 'The account at the forge' }),
    method: z.enum(['token', 'oauth', 'app']).nullable(),
    connectedAt: timestamp.nullable(),
  })
  .meta({ id: 'GitHubConnection' });

const repository = z
  .object({
    fullName: z.string().meta({ examples: ['octocat/hello-world'] }),
    url: z.string().meta({ description: '`input.repo.url` of a task' }),
    private: z.boolean(),
    defaultBranch: z.string(),
  })
  .meta({ id: 'GitHubRepository' });

const grant = z
  .strictObject({
    ...forgePlace,
    token: z
      .string()
      .refine((text) => /^[\w.-]{1,500}$/.test(text), 'takes letters, digits, _, - and .')
      .optional()
      .meta({ description: 'A personal access token, at GitHub a fine-grained one' }),
    code: z.string().min(1).max(500).optional().meta({ description: 'With `state`: what GitHub sent back' }),
    state: z.string().min(1).max(500).optional(),
    installationId: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: "With `code`: the installation of the operator's GitHub App, if the account has several" }),
  })
  .superRefine(checkPlace)
  .refine(
    ({ forge, code }) => forge === 'github' || code === undefined,
    'takes a token, for only GitHub has an app here',
  )
  .refine(
    ({ code, installationId }) => code !== undefined || installationId === undefined,
    'takes installationId only with code',
  )
  .refine(
    ({ token, code, state }) => (token === undefined) === (code !== undefined && state !== undefined),
    'takes either token, or code and state',
  )
  .refine(({ token, code, state }) => token === undefined || (code ?? state) === undefined, 'takes one way to connect');

const ofOwner = { auth: 'owner', area: 'oversight' as LimitArea } as const;

const ofForge = z.strictObject(forgePlace).superRefine(checkPlace);

/** An owner's accounts at forges, with which private repositories are cloned. The names are from when GitHub was the only one. */
export const githubOperations = {
  'github.connection': operation({
    ...ofOwner,
    id: 'github.connection',
    method: 'GET',
    path: '/github/connection',
    tx: 'read',
    summary: 'The connected account at a forge',
    query: ofForge,
    reply: { status: 200, schema: connection },
    errors: ['VALIDATION_ERROR'],
  }),
  'github.connections': operation({
    ...ofOwner,
    id: 'github.connections',
    method: 'GET',
    path: '/github/connections',
    tx: 'read',
    summary: 'List the connected accounts at all forges',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(connection) },
    errors: ['VALIDATION_ERROR'],
  }),
  'github.connect': operation({
    ...ofOwner,
    id: 'github.connect',
    method: 'PUT',
    path: '/github/connection',
    tx: 'external',
    summary: 'Connect an account at a forge by a token, or at GitHub by an authorization',
    description:
      'The forge is asked whose token it is first. The token is kept encrypted, and only the server uses it. It replaces the one before.',
    body: grant,
    reply: { status: 200, schema: connection },
    errors: ['VALIDATION_ERROR', 'GITHUB_TOKEN_REFUSED', 'GITHUB_ERROR', 'GITHUB_NOT_CONFIGURED'],
  }),
  'github.disconnect': operation({
    ...ofOwner,
    id: 'github.disconnect',
    method: 'DELETE',
    path: '/github/connection',
    tx: 'write',
    summary: 'Forget the token for a forge',
    description: 'Revoke the token at the forge too. Without a connection nothing happens.',
    query: ofForge,
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR'],
  }),
  'github.authorize': operation({
    ...ofOwner,
    id: 'github.authorize',
    method: 'POST',
    path: '/github/authorization',
    tx: 'read',
    summary: 'Begin to connect by the OAuth app: the page at GitHub to open',
    description: 'GitHub sends the browser on with `code` and `state`; connect with both within ten minutes.',
    reply: { status: 200, schema: z.object({ url: z.string(), expiresAt: timestamp }) },
    errors: ['GITHUB_NOT_CONFIGURED'],
  }),
  'github.repositories': operation({
    ...ofOwner,
    id: 'github.repositories',
    method: 'GET',
    path: '/github/repositories',
    tx: 'external',
    summary: 'List the repositories of the connected account, by name',
    description: 'The size of a page is that of the first page.',
    query: z.strictObject({ ...forgePlace, ...pageQuery }).superRefine(checkPlace),
    reply: { status: 200, schema: page(repository) },
    errors: ['VALIDATION_ERROR', 'GITHUB_NOT_CONNECTED', 'GITHUB_TOKEN_REFUSED', 'GITHUB_ERROR'],
  }),
} as const;
