import { z } from 'zod';
import { type LimitArea, operation, page, pageQuery, timestamp } from './operation.ts';

/** A connection to GitHub. Nothing here, and no other reply, has the token. */
const connection = z
  .object({
    connected: z.boolean(),
    login: z.string().nullable().meta({ description: 'The account at GitHub' }),
    method: z.enum(['token', 'oauth']).nullable(),
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
    token: z
      .string()
      .regex(/^\w{1,500}$/, 'takes letters, digits and _')
      .optional()
      .meta({ description: 'A fine-grained personal access token' }),
    code: z.string().min(1).max(500).optional().meta({ description: 'With `state`: what GitHub sent back' }),
    state: z.string().min(1).max(500).optional(),
  })
  .refine(
    ({ token, code, state }) => (token === undefined) === (code !== undefined && state !== undefined),
    'takes either token, or code and state',
  )
  .refine(({ token, code, state }) => token === undefined || (code ?? state) === undefined, 'takes one way to connect');

const ofOwner = { auth: 'owner', area: 'oversight' as LimitArea } as const;

/** An owner's account at GitHub, with which private repositories are cloned. */
export const githubOperations = {
  'github.connection': operation({
    ...ofOwner,
    id: 'github.connection',
    method: 'GET',
    path: '/github/connection',
    tx: 'read',
    summary: 'The connected GitHub account',
    reply: { status: 200, schema: connection },
    errors: [],
  }),
  'github.connect': operation({
    ...ofOwner,
    id: 'github.connect',
    method: 'PUT',
    path: '/github/connection',
    tx: 'external',
    summary: 'Connect a GitHub account by a token or an authorization',
    description:
      'GitHub is asked whose token it is first. The token is kept encrypted, and only the server uses it. It replaces the one before.',
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
    summary: 'Forget the GitHub token',
    description: 'Revoke the token at GitHub too. Without a connection nothing happens.',
    reply: { status: 204 },
    errors: [],
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
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(repository) },
    errors: ['VALIDATION_ERROR', 'GITHUB_NOT_CONNECTED', 'GITHUB_TOKEN_REFUSED', 'GITHUB_ERROR'],
  }),
} as const;
