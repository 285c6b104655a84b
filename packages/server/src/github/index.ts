import { type Config, type Pool, type Route, route } from '../platform/index.ts';
import { createGitHubApi } from './api.ts';
import { authorize, connect, disconnect, listRepositories, readConnection } from './connection.ts';
import type { GitHubDeps } from './deps.ts';
import { createTokens, type Tokens } from './tokens.ts';

export { reencryptGitHub } from './reencrypt.ts';

export interface GitHub {
  routes: Route[];
  tokens: Tokens;
  close(): Promise<void>;
}

export function createGitHub({ pool, config }: { pool: Pool; config: Config }): GitHub {
  const deps: GitHubDeps = { pool, config, api: createGitHubApi(config), tokens: createTokens(pool, config) };
  return {
    routes: [
      route('github.connection', (call) => readConnection(deps, call)),
      route('github.connect', (call) => connect(deps, call)),
      route('github.disconnect', (call) => disconnect(call)),
      route('github.authorize', (call) => authorize(deps, call)),
      route('github.repositories', (call) => listRepositories(deps, call)),
    ],
    tokens: deps.tokens,
    close: () => deps.api.close(),
  };
}
