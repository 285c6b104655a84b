import { type EventType, type Operations, toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Call, ensure, type Queryable, type Tx, transaction } from '../../platform/index.ts';
import type { AuthDeps, SignInDeps } from '../deps.ts';
import { confirmPassword } from '../password-tries.ts';
import { lockKnown, lockOwner } from '../sql.ts';
import { hashRecoveryCode, newRecoveryCodes, newSecret } from './codes.ts';
import { beginFactor, confirmFactor, deleteFactor, findFactor, storeRecoveryCodes } from './sql.ts';

/** A secret that nobody has confirmed within this time counts no more: it may have been seen. */
const confirmWithinMs = 600_000;

export async function readTotp({ pool }: AuthDeps, { caller }: Call<Operations['auth.totp']>) {
  const factor = await findFactor(pool, caller.ownerId);
  const enabledAt = factor?.confirmedAt ?? null;
  return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft: factor?.recoveryCodesLeft ?? 0 };
}

/** Only this reply ever contains the secret. */
export async function beginTotp(deps: SignInDeps, call: Call<Operations['auth.beginTotp']>) {
  const { ownerId } = call.caller;
  const { owner, succeeded } = await confirmPassword(deps, call, call.body.password);
  await succeeded();
  const made = newSecret(owner.email);
  const encrypted = deps.secondFactor.encrypt(ownerId, made.secret);
  const isBegun = await transaction(deps.pool, 'write', async (tx) => {
    await lockKnown(tx, owner);
    return beginFactor(tx, ownerId, encrypted, call.now);
  });
  ensure(isBegun, 'WRONG_STATE', 'The account has a second factor. Turn it off first.');
  return made;
}

export async function confirmTotp({ secondFactor }: SignInDeps, call: Call<Operations['auth.confirmTotp']>) {
  const { tx, caller, body, now } = call;
  const { ownerId } = caller;
  await lockOwner(tx, ownerId);
  const factor = await findFactor(tx, ownerId);
  const isOpen = factor?.confirmedAt === null && now.getTime() < Date.parse(factor.begunAt) + confirmWithinMs;
  ensure(isOpen, 'WRONG_STATE', 'No second factor waits for its code. Begin again.');
  const step = await secondFactor.stepOf(ownerId, factor.secret, body.code, now);
  ensure(step !== null, 'TOTP_INVALID');
  await confirmFactor(tx, ownerId, { step, at: now });
  await record(tx, 'owner.totp_enabled', { ...call, ownerId });
  return replaceRecoveryCodes(tx, ownerId);
}

export const renewRecoveryCodes = (deps: SignInDeps, call: Call<Operations['auth.renewRecoveryCodes']>) =>
  withBothFactors(deps, call, async (tx) => {
    const { ownerId } = call.caller;
    await record(tx, 'owner.recovery_codes_renewed', { ...call, ownerId });
    return replaceRecoveryCodes(tx, ownerId);
  });

export const disableTotp = (deps: SignInDeps, call: Call<Operations['auth.disableTotp']>) =>
  withBothFactors(deps, call, async (tx) => {
    await endTotp(tx, { ...call, ownerId: call.caller.ownerId, by: { by: 'owner' } });
  });

/** Turns an owner's second factor off and records it; nothing where there is none. */
export async function endTotp(tx: Tx, { by, ...about }: About & { by: object }): Promise<void> {
  await lockOwner(tx, about.ownerId);
  if (await deleteFactor(tx, about.ownerId)) await record(tx, 'owner.totp_disabled', about, by);
}

/** Does the work in the transaction that uses the code up, once the password is right. */
async function withBothFactors<R>(
  deps: SignInDeps,
  call: Call<Operations['auth.renewRecoveryCodes' | 'auth.disableTotp']>,
  work: (tx: Tx) => Promise<R>,
): Promise<R> {
  const { caller, body, now: at, correlationId } = call;
  const { owner, succeeded } = await confirmPassword(deps, call, body.password);
  const done = await transaction(deps.pool, 'write', async (tx) => {
    await lockKnown(tx, owner);
    const has = await deps.secondFactor.pass(tx, { ownerId: caller.ownerId, code: body.code, at, correlationId });
    ensure(has, 'WRONG_STATE', 'The account has no second factor.');
    return work(tx);
  });
  await succeeded();
  return done;
}

async function replaceRecoveryCodes(tx: Queryable, ownerId: string) {
  const recoveryCodes = newRecoveryCodes();
  await storeRecoveryCodes(tx, ownerId, recoveryCodes.map(hashRecoveryCode));
  return { recoveryCodes };
}

interface About {
  ownerId: string;
  now: Date;
  correlationId: string;
}

const record = (
  tx: Queryable,
  type: Extract<EventType, `owner.totp_${string}` | 'owner.recovery_codes_renewed'>,
  { ownerId, now: at, correlationId }: About,
  more: object = {},
) =>
  appendEvent(tx, {
    type,
    district: 'auth',
    at,
    correlationId,
    ownerId,
    data: { ownerId: toId('owner', ownerId), ...more },
  });
