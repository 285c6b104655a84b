import type { Mail } from '../mail/index.ts';
import type { Clock, Config, Logger, Pool } from '../platform/index.ts';
import type { Captcha } from './captcha.ts';

export interface AuthDeps {
  pool: Pool;
  clock: Clock;
  config: Pick<Config, 'SESSION_IDLE_MS' | 'PUBLIC_URL' | 'HOST' | 'PORT' | 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>;
  mail: Mail;
  captcha: Captcha;
  log: Pick<Logger, 'warn'>;
}
