import { z } from 'zod';
import { accountOperations, captchaToken, email, password } from './account.ts';
import { id } from './ids.ts';
import { audited, operation, page, pageQuery, timestamp } from './operation.ts';
import { givenPassword, secondCode, totpOperations } from './totp.ts';

const name = z.string().trim().min(1).max(200);

const cookie = z.boolean().optional().meta({
  description: 'For browsers: the session comes in a cookie that no script can read, and not in the reply',
});

export const plan = z.enum(['free', 'pro', 'enterprise']);
export const ownerStatus = z.enum(['active', 'suspended']);

export const owner = z
  .object({
    id: id('owner'),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    status: ownerStatus,
    plan,
    createdAt: timestamp,
  })
  .meta({ id: 'Owner' });

const session = z.object({
  owner,
  token: z.string().nullable().meta({
    description: 'Session token, sent as Authorization: Bearer; null where it is in a cookie',
  }),
  expiresAt: timestamp,
});

const developerToken = z
  .object({
    id: id('token'),
    name: z.string(),
    tokenPrefix: z.string(),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: 'DeveloperToken' });

export const authOperations = {
  'auth.signUp': operation({
    id: 'auth.signUp',
    method: 'POST',
    path: '/auth/sign-up',
    auth: 'public',
    area: 'signUp',
    tx: 'external',
    summary: 'Create an owner account',
    body: z.strictObject({ name, email, password, cookie, captchaToken }),
    reply: { status: 201, schema: session },
    errors: ['VALIDATION_ERROR', 'CAPTCHA_REQUIRED', 'CAPTCHA_FAILED', 'CROSS_SITE_REQUEST', 'DUPLICATE'],
  }),
  'auth.signIn': operation({
    id: 'auth.signIn',
    method: 'POST',
    path: '/auth/sign-in',
    auth: 'public',
    area: 'auth',
    tx: 'external',
    summary: 'Start a session',
    description:
      'The session expires after seven days without use (SESSION_IDLE_MS); every use extends it. An account with a second factor also takes its code.',
    body: z.strictObject({
      email: z.string().max(320).toLowerCase(),
      password: givenPassword,
      code: secondCode.optional(),
      cookie,
      captchaToken,
    }),
    reply: { status: 200, schema: session },
    errors: [
      'VALIDATION_ERROR',
      'CAPTCHA_REQUIRED',
      'CAPTCHA_FAILED',
      'CROSS_SITE_REQUEST',
      'INVALID_CREDENTIALS',
      'TOTP_REQUIRED',
      'TOTP_INVALID',
      'OWNER_SUSPENDED',
    ],
  }),
  'auth.session': operation({
    id: 'auth.session',
    method: 'GET',
    path: '/auth/session',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: 'The calling owner',
    reply: { status: 200, schema: z.object({ owner, expiresAt: timestamp.nullable() }) },
    errors: [],
  }),
  'auth.signOut': operation({
    id: 'auth.signOut',
    method: 'POST',
    path: '/auth/sign-out',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'End this session',
    reply: { status: 204 },
    errors: ['WRONG_STATE'],
  }),
  'auth.createToken': operation({
    id: 'auth.createToken',
    method: 'POST',
    path: '/auth/tokens',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Create a developer token; it is shown once',
    description: 'Needs a verified e-mail address, for the token outlasts the session.',
    body: z.strictObject({ name }),
    reply: { status: 201, schema: developerToken.extend({ token: z.string() }) },
    errors: ['VALIDATION_ERROR', 'EMAIL_NOT_VERIFIED', 'TOKEN_LIMIT_REACHED'],
  }),
  'auth.listTokens': operation({
    id: 'auth.listTokens',
    method: 'GET',
    path: '/auth/tokens',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: 'List developer tokens',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(developerToken) },
    errors: ['VALIDATION_ERROR'],
  }),
  'auth.revokeToken': operation({
    id: 'auth.revokeToken',
    method: 'DELETE',
    path: '/auth/tokens/:tokenId',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Revoke a developer token',
    params: z.object({ tokenId: z.string() }),
    reply: { status: 204 },
    errors: ['TOKEN_NOT_FOUND'],
  }),
  ...accountOperations,
  ...totpOperations,
  'auth.updateOwner': operation({
    id: 'auth.updateOwner',
    method: 'PATCH',
    path: '/owners/:ownerId',
    auth: 'operator',
    area: 'general',
    tx: 'write',
    summary:
      "Change an owner's plan, suspend or reinstate the account, take its address for verified, or turn its second factor off",
    description:
      'A suspended owner and its agents are refused from the next request on, and these agents cannot be hired. Open tasks end by their deadlines.',
    params: z.object({ ownerId: z.string().meta({ description: 'Id or e-mail address' }) }),
    body: z
      .strictObject({
        plan: plan.optional(),
        status: ownerStatus.optional(),
        emailVerified: z.literal(true).optional().meta({
          description: 'Takes the e-mail address for verified, for servers that send no mail',
        }),
        totp: z.literal('off').optional().meta({
          description: 'For an owner who has lost the authenticator app and the recovery codes',
        }),
        ...audited('Why, for the owner and'),
      })
      .refine((body) => [body.plan, body.status, body.emailVerified, body.totp].some((each) => each !== undefined), {
        message: 'must name a plan, a status, emailVerified or totp',
      }),
    reply: { status: 200, schema: owner },
    errors: ['VALIDATION_ERROR', 'OWNER_NOT_FOUND'],
  }),
} as const;
