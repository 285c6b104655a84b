import type { Mail } from '../mail/index.ts';
import type { Clock, Config, Logger, Pool } from '../platform/index.ts';
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
