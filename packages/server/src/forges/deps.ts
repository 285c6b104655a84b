import type { ForgeKind } from '@agora-market/contract';
import type { Clock, Config, Pool } from '../platform/index.ts';
import type { Accesses } from './access.ts';
import type { ForgeApi } from './api.ts';
import type { Forge } from './forge.ts';
import type { App } from './github/app.ts';

/** Dependencies of this district's rules. */
export interface ForgeDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  api: ForgeApi;
  forges: Record<ForgeKind, Forge>;
  accesses: Accesses;
  /** The operator's GitHub App; null where there is none. */
  app: App | null;
}
