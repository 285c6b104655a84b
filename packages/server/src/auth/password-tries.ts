import { type Call, countedAddress, ensure, type OwnerCaller } from '../platform/index.ts';
import type { AuthDeps } from './deps.ts';
import { passwordFits } from './password.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import { findOwner, findOwnerByEmail } from './sql.ts';

type OwnCall = Pick<Call, 'raw'> & { caller: OwnerCaller };

/**
 * Has the caller show its password again. Wrong ones count like those of sign-in: a stolen session must not guess faster.
 * Call `succeeded` on success. INVALID_CREDENTIALS, RATE_LIMITED.
 */
export async function confirmPassword(
  { pool, throttle }: Pick<AuthDeps, 'pool'> & { throttle: SignInThrottle },
  { caller, raw }: OwnCall,
  password: string,
) {
  const { email = '' } = (await findOwner(pool, caller.ownerId)) ?? {};
  const succeeded = await throttle.admit(email, countedAddress(raw.request.ip));
  const owner = await findOwnerByEmail(pool, email);
  ensure(owner && (await passwordFits(owner.passwordHash, password)), 'INVALID_CREDENTIALS');
  return { owner, succeeded };
}
