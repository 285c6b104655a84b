import { type Operations, toId } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../events/index.ts';
import { enqueue, handler, type JobHandler, type JobKind, withdraw } from '../jobs/index.ts';
import { type Call, publicUrl, type Queryable, type Tx, transaction } from '../platform/index.ts';
import { hashCredential } from './credentials.ts';
import type { AuthDeps } from './deps.ts';
import { passwordChangedLetter, resetLetter } from './letters.ts';
import { issueToken } from './mailed-tokens.ts';
import { hashPassword } from './password.ts';
import { confirmPassword } from './password-tries.ts';
import { endSessions } from './session.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import { findOwnerByEmail, lockKnown, lockOwner, setPassword } from './sql.ts';

const asked = z.object({ email: z.string() });

/** Within the hour for which its token counts. */
const kind: JobKind<z.infer<typeof asked>> = {
  name: 'auth.forgotPassword',
  payload: asked,
  attempts: 8,
  atOnce: 2,
  timeoutMs: 30_000,
  pauseMs: { first: 5_000, longest: 600_000 },
};

/**
 * The request is only noted, whoever it is about; the queued job looks whether there is such an account. So neither the
 * reply nor its time tells. What waits for an address already is not asked for again.
 */
export async function forgotPassword(deps: AuthDeps, call: Call<Operations['auth.forgotPassword']>): Promise<void> {
  await deps.captcha.pass('forgot_password', call);
  const { email } = call.body;
  const job = { key: hashCredential(email), payload: { email }, at: call.now };
  await transaction(deps.pool, 'write', (tx) => enqueue(tx, deps.clock, kind, job));
}

const mailReset = ({ pool, clock, mail, config }: AuthDeps, { email }: z.infer<typeof asked>) =>
  transaction(pool, 'write', async (tx) => {
    const owner = await findOwnerByEmail(tx, email);
    if (owner?.status !== 'active') return;
    await lockOwner(tx, owner.id);
    const token = await issueToken(tx, owner.id, 'reset_password', clock.now());
    if (token) await mail.queue(tx, resetLetter(owner, publicUrl(config), token));
  });

/** What is noted of an address that is nobody's any more. */
export const forgetAsked = (tx: Tx, email: string) => withdraw(tx, kind, hashCredential(email));

export const authQueue = (deps: AuthDeps): JobHandler[] => [handler(kind, (request) => mailReset(deps, request))];

export async function changePassword(
  deps: AuthDeps & { throttle: SignInThrottle },
  call: Call<Operations['auth.changePassword']>,
) {
  const { ownerId, credential } = call.caller;
  const { currentPassword, newPassword } = call.body;
  const { owner, succeeded } = await confirmPassword(deps, call, currentPassword);
  await succeeded();
  const passwordHash = await hashPassword(newPassword);
  const { now: at, correlationId } = call;
  const kept = credential.type === 'session' ? credential.tokenHash : null;
  await transaction(deps.pool, 'write', async (tx) => {
    await lockKnown(tx, owner);
    await storePassword(tx, { ownerId, passwordHash, at, correlationId, by: 'owner', kept });
    await deps.mail.queue(tx, passwordChangedLetter(owner, publicUrl(deps.config), 'All other sessions were ended.'));
  });
}

interface NewPassword {
  ownerId: string;
  passwordHash: string;
  at: Date;
  correlationId: string;
  /** The owner, who knew the old one, or a token that was mailed. */
  by: 'owner' | 'reset';
  /** The session that goes on (hash in hex). */
  kept: string | null;
}

/** Stores it and ends sessions. The transaction has locked the owner's row. */
export async function storePassword(tx: Queryable, change: NewPassword): Promise<void> {
  const { ownerId, passwordHash, at, correlationId, by, kept } = change;
  await setPassword(tx, ownerId, passwordHash);
  await endSessions(tx, { ownerId, at, correlationId }, { except: kept });
  const data = { ownerId: toId('owner', ownerId), by };
  await appendEvent(tx, { type: 'owner.password_changed', district: 'auth', at, correlationId, ownerId, data });
}
