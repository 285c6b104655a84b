import { type Operations, toId } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import { type Call, type Config, ensure, publicUrl, type Queryable } from '../platform/index.ts';
import type { AuthDeps } from './deps.ts';
import { verifyLetter } from './letters.ts';
import { issueToken, useToken } from './mailed-tokens.ts';
import { findOwner, lockOwner, type OwnerRow, setEmailVerified } from './sql.ts';

/** Mails a token by which the owner shows that the address is its own. */
export async function sendVerification({ mail, config }: AuthDeps, tx: Queryable, owner: OwnerRow, at: Date) {
  const token = await issueToken(tx, owner.id, 'verify_email', at);
  if (token) await mail.queue(tx, verifyLetter(owner, publicUrl(config), token));
}

export async function resendVerification(deps: AuthDeps, call: Call<Operations['auth.resendVerification']>) {
  const { tx, caller, now } = call;
  await lockOwner(tx, caller.ownerId);
  const owner = await findOwner(tx, caller.ownerId);
  ensure(owner, 'INVALID_SESSION');
  ensure(owner.emailVerifiedAt === null, 'WRONG_STATE', 'The e-mail address is verified.');
  await sendVerification(deps, tx, owner, now);
}

export async function verifyEmail({ tx, body, now, correlationId }: Call<Operations['auth.verifyEmail']>) {
  const ownerId = await useToken(tx, body.token, 'verify_email', now);
  ensure(ownerId, 'MAILED_TOKEN_INVALID');
  await markVerified(tx, ownerId, { at: now, correlationId });
}

/**
 * Whether an owner has shown that its address is its own, or need not by the setting that is given. Whoever signs up with
 * somebody else's address gets nothing that asks here: nothing that costs money or outlasts the session.
 */
export const isVerified = async (
  db: Queryable,
  ownerId: string,
  { EMAIL_VERIFICATION }: Pick<Config, 'EMAIL_VERIFICATION'> = { EMAIL_VERIFICATION: 'required' },
): Promise<boolean> =>
  EMAIL_VERIFICATION === 'off' || ((await findOwner(db, ownerId))?.emailVerifiedAt ?? null) !== null;

/** Notes once that the address is the owner's; `by` is the operator who says so, and why. */
export async function markVerified(
  tx: Queryable,
  ownerId: string,
  { at, correlationId, by }: { at: Date; correlationId: string; by?: { reason: string; by: string } },
) {
  if ((await setEmailVerified(tx, ownerId, at)) === 0) return;
  const data = { ownerId: toId('owner', ownerId), ...by };
  await appendEvent(tx, { type: 'owner.email_verified', district: 'auth', at, correlationId, ownerId, data });
}
