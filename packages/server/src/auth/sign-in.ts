import type { Operations } from '@agora/contract';
import { type Call, countedAddress, ensure, requireSameOrigin, transaction } from '../platform/index.ts';
import type { AuthDeps } from './deps.ts';
import { decoyHash, passwordFits } from './password.ts';
import { sessionReply, startSession } from './session.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import { findOwnerByEmail } from './sql.ts';

/**
 * Unknown e-mail and wrong password give the same reply in the same time. Only a caller with the right password learns
 * that the owner is suspended.
 */
export async function signIn(deps: AuthDeps, throttle: SignInThrottle, call: Call<Operations['auth.signIn']>) {
  const { email, password, cookie } = call.body;
  if (cookie) requireSameOrigin(deps.config, call.raw.request);
  const succeeded = await throttle.admit(email, countedAddress(call.raw.request.ip));
  const [owner, decoy] = await Promise.all([findOwnerByEmail(deps.pool, email), decoyHash()]);
  const fits = await passwordFits(owner?.passwordHash ?? decoy, password);
  ensure(owner && fits, 'INVALID_CREDENTIALS');
  await succeeded();
  ensure(owner.status === 'active', 'OWNER_SUSPENDED');
  const session = await transaction(deps.pool, 'write', (tx) => startSession(deps, tx, owner, call));
  return sessionReply(deps, 200, session, call.body);
}
