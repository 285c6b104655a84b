import type { Clock, Config, Pool } from '../platform/index.ts';
import type { GitHubApi } from './api.ts';
import type { Tokens } from './tokens.ts';

/** Dependencies of this district's rules. */
export interface GitHubDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  api: GitHubApi;
  tokens: Tokens;
}
