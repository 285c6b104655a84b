import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Config, type Encryption, encryption, ensure, type Queryable } from '../../platform/index.ts';
import type { SignInThrottle } from '../sign-in-throttle.ts';
import { bare, hashRecoveryCode, isOfApp, stepOf } from './codes.ts';
import { findFactor, useRecoveryCode, useStep } from './sql.ts';

interface Given {
  ownerId: string;
  code: string | undefined;
  at: Date;
  correlationId: string;
}

/** What an owner shows beside its password. */
export interface SecondFactor {
  encrypt(ownerId: string, secret: string): Buffer;
  /** The time step of an app's code, a wrong one counted; null if it is wrong. */
  stepOf(ownerId: string, secret: Buffer, code: string, at: Date): Promise<number | null>;
  /**
   * Uses the code up in the caller's transaction, which has locked the owner's row, if the owner has a second factor; says
   * whether it has. TOTP_REQUIRED, TOTP_INVALID, RATE_LIMITED.
   */
  pass(tx: Queryable, given: Given): Promise<boolean>;
}

/** Each owner's own key, so that a secret copied into another's row opens nothing. */
export const keyOf = (safe: Encryption, ownerId: string): Buffer => safe.digest('totp secret', ownerId);

export function createSecondFactor(
  config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>,
  throttle: SignInThrottle,
): SecondFactor {
  const safe = encryption(config);
  /** Null too if another AGORA_ENCRYPTION_KEY encrypted the secret; recovery codes still count then. */
  const stepIn = (ownerId: string, encrypted: Buffer, code: string, at: Date): number | null => {
    const secret = safe.decrypt(keyOf(safe, ownerId), encrypted);
    return secret === null ? null : stepOf(secret, bare(code), at);
  };
  return {
    encrypt: (ownerId, secret) => safe.encrypt(keyOf(safe, ownerId), secret),
    async stepOf(ownerId, secret, code, at) {
      const succeeded = await throttle.admitCode(ownerId);
      const step = stepIn(ownerId, secret, code, at);
      if (step !== null) await succeeded();
      return step;
    },
    async pass(tx, { ownerId, code, at, correlationId }) {
      const factor = await findFactor(tx, ownerId);
      if (!factor?.confirmedAt) return false;
      ensure(code !== undefined, 'TOTP_REQUIRED');
      const succeeded = await throttle.admitCode(ownerId);
      if (isOfApp(bare(code))) {
        const step = stepIn(ownerId, factor.secret, code, at);
        ensure(step !== null && (await useStep(tx, ownerId, step)), 'TOTP_INVALID');
      } else {
        const left = await useRecoveryCode(tx, ownerId, hashRecoveryCode(code));
        ensure(left !== null, 'TOTP_INVALID');
        const data = { ownerId: toId('owner', ownerId), left };
        await appendEvent(tx, { type: 'owner.recovery_code_used', district: 'auth', at, correlationId, ownerId, data });
      }
      await succeeded();
      return true;
    },
  };
}
