import type { Operations } from '@agora-market/contract';
import { type Call, countedAddress, ensure, requireSameOrigin, transaction } from '../platform/index.ts';
import type { AuthDeps, SignInDeps } from './deps.ts';
import { decoyHash, passwordFits } from './password.ts';
import { sessionReply, startSession } from './session.ts';
import { createSignInThrottle } from './sign-in-throttle.ts';
import { findOwnerByEmail, lockKnown } from './sql.ts';
import { createSecondFactor } from './totp/second-factor.ts';

/** One throttle for all ways to show a password or a code. */
export function signInDeps<Base extends AuthDeps>(base: Base): Base & SignInDeps {
  const throttle = createSignInThrottle();
  return { ...base, throttle, secondFactor: createSecondFactor(base.config, throttle) };
}

/**
 * Unknown e-mail and wrong password give the same reply in the same time. Only a caller with the right password learns
 * that the owner is suspended, or has a second factor. A wrong code counts like a wrong password.
 */
export async function signIn(deps: SignInDeps, call: Call<Operations['auth.signIn']>) {
  const { throttle, secondFactor } = deps;
  const { email, password, code, cookie } = call.body;
  if (cookie) requireSameOrigin(deps.config, call.raw.request);
  await deps.captcha.pass('sign_in', call);
  const succeeded = await throttle.admit(email, countedAddress(call.raw.request.ip));
  const [owner, decoy] = await Promise.all([findOwnerByEmail(deps.pool, email), decoyHash()]);
  const fits = await passwordFits(owner?.passwordHash ?? decoy, password);
  ensure(owner && fits, 'INVALID_CREDENTIALS');
  ensure(owner.status === 'active', 'OWNER_SUSPENDED');
  const session = await transaction(deps.pool, 'write', async (tx) => {
    await lockKnown(tx, owner);
    await secondFactor.pass(tx, { ownerId: owner.id, code, at: call.now, correlationId: call.correlationId });
    return startSession(deps, tx, owner, call);
  });
  await succeeded();
  return sessionReply(deps, 200, session, call.body);
}
