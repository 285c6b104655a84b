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
    body: z.strictObject({ token: mailedToken, password }),
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
