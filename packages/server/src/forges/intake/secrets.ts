import { randomBytes } from 'node:crypto';
import { type Config, type Encryption, encryption } from '../../platform/index.ts';
import type { Delivery, Forge } from '../forge.ts';

/** Each intake's own key, so that a secret copied into another's row opens nothing. */
export const keyOf = (safe: Encryption, intakeId: string): Buffer => safe.digest('intake secret', intakeId);

export interface IntakeSecrets {
  create(intakeId: string): { text: string; encrypted: Buffer };
  /** Whether the sender knows the secret of the intake. Takes as long where there is no intake. */
  isSigned(intake: { id: string; secret: Buffer } | null, forge: Forge, delivery: Delivery): boolean;
}

export function createSecrets(config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>): IntakeSecrets {
  const safe = encryption(config);
  const nobodys = randomBytes(32).toString('base64url');
  return {
    create(intakeId) {
      const text = randomBytes(32).toString('base64url');
      return { text, encrypted: safe.encrypt(keyOf(safe, intakeId), text) };
    },
    isSigned(intake, forge, delivery) {
      const secret = intake && safe.decrypt(keyOf(safe, intake.id), intake.secret);
      return forge.isSigned(secret ?? nobodys, delivery) && secret !== null;
    },
  };
}
