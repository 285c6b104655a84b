import type { Clock, Config, Pool, Signing } from '../platform/index.ts';
import type { Quota } from './quota.ts';
import type { LoadSummary } from './summary.ts';

export interface TrustDeps {
  pool: Pool;
  clock: Clock;
  config: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT' | 'EMAIL_VERIFICATION'>;
  signing: Signing;
  quota: Quota;
  loadSummary: LoadSummary;
}
