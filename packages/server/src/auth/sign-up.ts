import { type Operations, toId } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import { ApiError, type Call, newUuid, requireSameOrigin, transaction, violates } from '../platform/index.ts';
import type { AuthDeps } from './deps.ts';
import { sendVerification } from './email.ts';
import { hashPassword } from './password.ts';
import { sessionReply, startSession } from './session.ts';
import { insertOwner } from './sql.ts';

/** The password is hashed before the transaction opens, because that takes some 20 ms on purpose. */
export async function signUp(deps: AuthDeps, call: Call<Operations['auth.signUp']>) {
  const { name, email, password, cookie } = call.body;
  if (cookie) requireSameOrigin(deps.config, call.raw.request);
  await deps.captcha.pass('sign_up', call);
  const passwordHash = await hashPassword(password);
  try {
    const session = await transaction(deps.pool, 'write', async (tx) => {
      const id = newUuid(deps.clock);
      const owner = await insertOwner(tx, { id, name, email, passwordHash, at: call.now });
      if (!owner) throw new Error('the insert of an owner returned no row');
      await appendEvent(tx, {
        type: 'owner.registered',
        district: 'auth',
        at: call.now,
        correlationId: call.correlationId,
        ownerId: id,
        data: { ownerId: toId('owner', id), plan: owner.plan },
      });
      await sendVerification(deps, tx, owner, call.now);
      return startSession(deps, tx, owner, call);
    });
    return sessionReply(deps, 201, session, call.body);
  } catch (error) {
    if (!violates(error, 'owners_email_key')) throw error;
    throw new ApiError('DUPLICATE', 'An account with this e-mail address already exists.', { field: 'email' });
  }
}
