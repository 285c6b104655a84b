import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Config, type Encryption, encryption } from '../../platform/index.ts';

/** Each intake's own key, so that a secret copied into another's row opens nothing. */
export const keyOf = (safe: Encryption, intakeId: string): Buffer => safe.digest('intake secret', intakeId);

export interface IntakeSecrets {
  create(intakeId: string): { text: string; encrypted: Buffer };
  /** Whether GitHub has signed the body with the secret of the intake. Takes as long where there is no intake. */
  isSigned(intake: { id: string; secret: Buffer } | null, rawBody: string, signature: unknown): boolean;
}

export function createSecrets(config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>): IntakeSecrets {
  const safe = encryption(config);
  const nobodys = randomBytes(32).toString('base64url');
  return {
    create(intakeId) {
      const text = randomBytes(32).toString('base64url');
      return { text, encrypted: safe.encrypt(keyOf(safe, intakeId), text) };
    },
    isSigned(intake, rawBody, signature) {
      const secret = intake && safe.decrypt(keyOf(safe, intake.id), intake.secret);
      const ours = Buffer.from(
        `sha256=${createHmac('sha256', secret ?? nobodys)
          .update(rawBody)
          .digest('hex')}`,
      );
      const given = Buffer.from(typeof signature === 'string' ? signature : '');
      return given.length === ours.length && timingSafeEqual(given, ours) && secret !== null;
    },
  };
}
