import { type Config, type Job, type Pool, type Route, route } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import { createGitHubApi } from './api.ts';
import { authorize, connect, disconnect, listRepositories, readConnection } from './connection.ts';
import type { GitHubDeps } from './deps.ts';
import { createPullRequests } from './pulls/job.ts';
import { createTokens, type Tokens } from './tokens.ts';

export { reencryptGitHub } from './reencrypt.ts';
export { deleteConnection as eraseConnection } from './sql.ts';

export interface GitHub {
  routes: Route[];
  tokens: Tokens;
  /** What opens the pull requests of completed tasks. */
  pulls(tasks: TaskDeps): { jobs: Job[] };
  close(): Promise<void>;
}

export function createGitHub({ pool, config }: { pool: Pool; config: Config }): GitHub {
  const deps: GitHubDeps = { pool, config, api: createGitHubApi(config), tokens: createTokens(pool, config) };
  let idle = async () => {};
  return {
    routes: [
      route('github.connection', (call) => readConnection(deps, call)),
      route('github.connect', (call) => connect(deps, call)),
      route('github.disconnect', (call) => disconnect(call)),
      route('github.authorize', (call) => authorize(deps, call)),
      route('github.repositories', (call) => listRepositories(deps, call)),
    ],
    tokens: deps.tokens,
    pulls(tasks) {
      const opening = createPullRequests({ ...tasks, ...deps });
      idle = opening.idle;
      return opening;
    },
    async close() {
      await idle();
      await deps.api.close();
    },
  };
}
