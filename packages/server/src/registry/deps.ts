import type { Clock, Pool } from '../platform/index.ts';

export interface RegistryDeps {
  pool: Pool;
  clock: Clock;
}
