import type { Credential } from '@agora-market/contract';
import type { Mail } from '../mail/index.ts';
import type { Clock, Config, Logger, Pool, Queryable, Tx } from '../platform/index.ts';
import type { Captcha } from './captcha.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import type { SecondFactor } from './totp/second-factor.ts';

export interface AuthDeps {
  pool: Pool;
  clock: Clock;
  config: Pick<
    Config,
    | 'SESSION_IDLE_MS'
    | 'PUBLIC_URL'
    | 'HOST'
    | 'PORT'
    | 'AGORA_ENCRYPTION_KEY'
    | 'AGORA_DATA_DIR'
    | 'EMAIL_VERIFICATION'
  >;
  mail: Mail;
  captcha: Captcha;
  log: Pick<Logger, 'warn'>;
}

/** With what those who sign in, or show again who they are, are checked by. */
export interface SignInDeps extends AuthDeps {
  throttle: SignInThrottle;
  secondFactor: SecondFactor;
}

/** By what an account is used apart from its password. Most of it is of districts above, so that `app.ts` gives this. */
export interface Credentials {
  /** Developer tokens too. */
  list(db: Queryable, ownerId: string): Promise<Credential[]>;
  /** All but developer tokens, in a transaction of mode 'ledger': money on its way to a bank account comes back. */
  end(tx: Tx, ended: { ownerId: string; at: Date; correlationId: string }): Promise<void>;
}

export interface ResetDeps extends AuthDeps {
  credentials: Credentials;
}
