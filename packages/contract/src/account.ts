import { z } from 'zod';
import { id } from './ids.ts';
import { caughtMailsAtMost, withdrawalRange } from './limits.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { givenPassword, secondCode } from './totp.ts';

export const email = z.email().max(320).toLowerCase();
export const password = z.string().min(8).max(200);

/** Tokens of Turnstile have 2,048 characters at most. */
export const captchaToken = z.string().max(2048).optional().meta({
  description: 'From browsers, where `GET /auth/captcha` gives a site key: what the widget gave the page',
});

const mailedToken = z.string().max(200).meta({ description: 'From the mail' });

const ownerSession = z
  .object({
    id: id('session'),
    createdAt: timestamp,
    expiresAt: timestamp,
    userAgent: z.string().nullable().meta({ description: 'As the program that signed in called itself' }),
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session' });

/** By what an account is used apart from its password. */
const credentialKinds = [
  'developer_token',
  'agent_key',
  'trust_key',
  'webhook',
  'forge_connection',
  'package_registry',
  'payment_method',
  'payout_account',
] as const;

const credential = z
  .object({
    kind: z.enum(credentialKinds),
    name: z.string(),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().meta({ description: 'Null where it was not used, or is not noted' }),
  })
  .meta({ id: 'Credential' });
export type Credential = z.infer<typeof credential>;

const open = { auth: 'public', area: 'auth' } as const;
const own = { auth: 'owner', area: 'general' } as const;

/** How owners keep their accounts. */
export const accountOperations = {
  'auth.captcha': operation({
    id: 'auth.captcha',
    method: 'GET',
    path: '/auth/captcha',
    auth: 'public',
    area: 'general',
    tx: 'read',
    summary: 'What a page needs to show the challenge that signing up, signing in and forgotten passwords take',
    reply: {
      status: 200,
      schema: z.object({
        provider: z.literal('turnstile').nullable(),
        siteKey: z.string().nullable().meta({ description: 'Null where no browser is challenged' }),
      }),
    },
    errors: [],
  }),
  'auth.verifyEmail': operation({
    ...open,
    id: 'auth.verifyEmail',
    method: 'POST',
    path: '/auth/verify-email',
    tx: 'write',
    summary: 'Verify the e-mail address of an account by the token that was mailed to it',
    body: z.strictObject({ token: mailedToken }),
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR', 'MAILED_TOKEN_INVALID'],
  }),
  'auth.resendVerification': operation({
    ...own,
    id: 'auth.resendVerification',
    method: 'POST',
    path: '/auth/verify-email/resend',
    tx: 'write',
    summary: 'Mail another token to verify the e-mail address; at most three an hour',
    reply: { status: 204 },
    errors: ['WRONG_STATE'],
  }),
  'auth.forgotPassword': operation({
    ...open,
    id: 'auth.forgotPassword',
    method: 'POST',
    path: '/auth/password/forgot',
    tx: 'external',
    summary: 'Have a token mailed that resets the password',
    description: 'The reply is the same whether there is such an account or not. At most three mails an hour go to it.',
    body: z.strictObject({ email, captchaToken }),
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR', 'CAPTCHA_REQUIRED', 'CAPTCHA_FAILED'],
  }),
  'auth.resetPassword': operation({
    ...open,
    id: 'auth.resetPassword',
    method: 'POST',
    path: '/auth/password/reset',
    tx: 'external',
    summary: 'Set a new password by the token that was mailed; ends all sessions',
    description:
      'If nobody had verified the address before, whoever made the account may be somebody else: all credentials of before end, and the second factor. Otherwise they go on, unless `endCredentials` is true; the second factor stays in any case.',
    body: z.strictObject({
      token: mailedToken,
      password,
      endCredentials: z.boolean().optional().meta({ description: 'Also ends what the reply would list as `kept`' }),
    }),
    reply: {
      status: 200,
      schema: z.object({
        ended: z.array(credential).meta({ description: 'What this reset has ended, the newest first' }),
        kept: z.array(credential).meta({ description: 'What goes on' }),
        endToken: z.string().nullable().meta({
          description: 'Ends what was kept, by `POST /auth/password/reset/end-credentials`, once and within an hour',
        }),
      }),
    },
    errors: ['VALIDATION_ERROR', 'MAILED_TOKEN_INVALID'],
  }),
  'auth.endCredentials': operation({
    ...open,
    id: 'auth.endCredentials',
    method: 'POST',
    path: '/auth/password/reset/end-credentials',
    tx: 'ledger',
    summary: 'End all credentials that a reset of the password has kept, by the token of its reply',
    description:
      'Developer tokens, trust keys, webhooks, connections to forges and package registries, payment methods and the account for payouts are gone, and each agent needs a new key.',
    body: z.strictObject({ token: z.string().max(200).meta({ description: '`endToken` of the reset' }) }),
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR', 'MAILED_TOKEN_INVALID'],
  }),
  'auth.changePassword': operation({
    ...own,
    id: 'auth.changePassword',
    method: 'POST',
    path: '/auth/password',
    tx: 'external',
    summary: 'Change the password; ends all other sessions',
    body: z.strictObject({ currentPassword: givenPassword, newPassword: password }),
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR', 'INVALID_CREDENTIALS'],
  }),
  'auth.deleteAccount': operation({
    ...own,
    id: 'auth.deleteAccount',
    method: 'POST',
    path: '/auth/delete-account',
    tx: 'external',
    summary: 'Delete the account, for good',
    description: `Needs a session, the password, and a code where the account has a second factor. While work or money is open it is refused: \`details.obstacles\` lists \`{ kind, count, cents, message }\` for each. Credits left in wallets that are too few to withdraw, below ${withdrawalRange.min} cents together, are given up.`,
    body: z.strictObject({ password: givenPassword, code: secondCode.optional() }),
    reply: { status: 204 },
    errors: [
      'VALIDATION_ERROR',
      'INVALID_CREDENTIALS',
      'TOTP_REQUIRED',
      'TOTP_INVALID',
      'WRONG_STATE',
      'ACCOUNT_NOT_EMPTY',
    ],
  }),
  'auth.caughtMail': operation({
    ...own,
    id: 'auth.caughtMail',
    method: 'GET',
    path: '/auth/caught-mail',
    tx: 'read',
    summary: 'In development: the newest mails to the own address, which were kept instead of sent',
    description: `Needs a session, for mails carry tokens. At most ${caughtMailsAtMost}, the newest first.`,
    reply: {
      status: 200,
      schema: z.object({
        catching: z
          .boolean()
          .meta({ description: 'False in production and where mail is sent; `mails` is empty then' }),
        mails: z.array(z.object({ to: z.string(), subject: z.string(), text: z.string(), sentAt: timestamp })),
      }),
    },
    errors: ['WRONG_STATE'],
  }),
  'auth.listSessions': operation({
    ...own,
    id: 'auth.listSessions',
    method: 'GET',
    path: '/auth/sessions',
    tx: 'read',
    summary: 'List own sessions',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(ownerSession) },
    errors: ['VALIDATION_ERROR'],
  }),
  'auth.endSession': operation({
    ...own,
    id: 'auth.endSession',
    method: 'DELETE',
    path: '/auth/sessions/:sessionId',
    tx: 'write',
    summary: 'End one session',
    params: z.object({ sessionId: z.string() }),
    reply: { status: 204 },
    errors: ['SESSION_NOT_FOUND'],
  }),
  'auth.endOtherSessions': operation({
    ...own,
    id: 'auth.endOtherSessions',
    method: 'DELETE',
    path: '/auth/sessions',
    tx: 'write',
    summary: 'End all sessions but the one of this request',
    reply: { status: 204 },
    errors: [],
  }),
} as const;
