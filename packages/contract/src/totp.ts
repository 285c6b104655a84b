import { z } from 'zod';
import { operation, timestamp } from './operation.ts';

/** Of a password that is only compared. */
export const givenPassword = z.string().max(200);

/** Spaces and dashes do not count. */
export const secondCode = z.string().max(60).meta({
  description: 'The six digits of the authenticator app, or a recovery code',
});

const recoveryCodes = z.object({
  recoveryCodes: z.array(z.string()).meta({ description: 'Each for one use. Only this reply ever contains them' }),
});

const own = { auth: 'owner', area: 'general' } as const;

/** The second factor of an account: codes of an authenticator app (TOTP, RFC 6238), and recovery codes. */
export const totpOperations = {
  'auth.totp': operation({
    ...own,
    id: 'auth.totp',
    method: 'GET',
    path: '/auth/totp',
    tx: 'read',
    summary: 'Whether signing in takes a code of an authenticator app, and how many recovery codes are left',
    reply: {
      status: 200,
      schema: z.object({ enabled: z.boolean(), enabledAt: timestamp.nullable(), recoveryCodesLeft: z.int() }),
    },
    errors: [],
  }),
  'auth.beginTotp': operation({
    ...own,
    id: 'auth.beginTotp',
    method: 'POST',
    path: '/auth/totp',
    tx: 'external',
    summary: 'Make the secret of an authenticator app; it counts once a code confirms it, within ten minutes',
    body: z.strictObject({ password: givenPassword }),
    reply: {
      status: 201,
      schema: z.object({
        secret: z.string().meta({ description: 'In base32, for an app that cannot read the URI' }),
        uri: z.string().meta({ description: 'otpauth://…, to be shown as a QR code' }),
      }),
    },
    errors: ['VALIDATION_ERROR', 'INVALID_CREDENTIALS', 'WRONG_STATE'],
  }),
  'auth.confirmTotp': operation({
    ...own,
    id: 'auth.confirmTotp',
    method: 'POST',
    path: '/auth/totp/confirm',
    tx: 'write',
    summary: 'Turn the second factor on by a code of the app; gives ten recovery codes',
    body: z.strictObject({ code: secondCode }),
    reply: { status: 200, schema: recoveryCodes },
    errors: ['VALIDATION_ERROR', 'TOTP_INVALID', 'WRONG_STATE'],
  }),
  'auth.renewRecoveryCodes': operation({
    ...own,
    id: 'auth.renewRecoveryCodes',
    method: 'POST',
    path: '/auth/totp/recovery-codes',
    tx: 'external',
    summary: 'Make ten new recovery codes; those before are void',
    body: z.strictObject({ password: givenPassword, code: secondCode }),
    reply: { status: 200, schema: recoveryCodes },
    errors: ['VALIDATION_ERROR', 'INVALID_CREDENTIALS', 'TOTP_INVALID', 'WRONG_STATE'],
  }),
  'auth.disableTotp': operation({
    ...own,
    id: 'auth.disableTotp',
    method: 'POST',
    path: '/auth/totp/disable',
    tx: 'external',
    summary: 'Turn the second factor off',
    body: z.strictObject({ password: givenPassword, code: secondCode }),
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR', 'INVALID_CREDENTIALS', 'TOTP_INVALID', 'WRONG_STATE'],
  }),
} as const;
