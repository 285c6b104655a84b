import type { JobHandler } from '../jobs/index.ts';
import { type Clock, type Config, type Job, type Pool, type Route, route } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import { createGitHubApi } from './api.ts';
import { authorize, connect, disconnect, listRepositories, readConnection } from './connection.ts';
import type { GitHubDeps } from './deps.ts';
import { listOwnIntakes, removeIntake, setIntake } from './intake/manage.ts';
import { receive } from './intake/receive.ts';
import { createSecrets } from './intake/secrets.ts';
import { intakeWork } from './intake/work.ts';
import { createPullRequests } from './pulls/job.ts';
import { createTokens, type Tokens } from './tokens.ts';

export { eraseGitHub } from './erase.ts';
export { reencryptGitHub } from './reencrypt.ts';

export interface GitHub {
  routes: Route[];
  tokens: Tokens;
  /** What opens the pull requests of completed tasks. */
  pulls(tasks: TaskDeps): { jobs: Job[] };
  /** What makes tasks of issues. */
  intake(tasks: TaskDeps): { jobs: Job[]; handlers: JobHandler[] };
  close(): Promise<void>;
}

export function createGitHub(base: { pool: Pool; config: Config; clock: Clock }): GitHub {
  const { pool, config } = base;
  const deps: GitHubDeps = { ...base, api: createGitHubApi(config), tokens: createTokens(pool, config) };
  const intakes = { ...deps, secrets: createSecrets(config) };
  let idle = async () => {};
  return {
    routes: [
      route('github.connection', (call) => readConnection(deps, call)),
      route('github.connect', (call) => connect(deps, call)),
      route('github.disconnect', (call) => disconnect(call)),
      route('github.authorize', (call) => authorize(deps, call)),
      route('github.repositories', (call) => listRepositories(deps, call)),
      route('github.setIntake', (call) => setIntake(intakes, call)),
      route('github.intakes', (call) => listOwnIntakes(intakes, call)),
      route('github.removeIntake', (call) => removeIntake(call)),
      route('github.intakeWebhook', (call) => receive(intakes, call)),
    ],
    tokens: deps.tokens,
    pulls(tasks) {
      const opening = createPullRequests({ ...tasks, ...deps });
      idle = opening.idle;
      return opening;
    },
    intake: (tasks) => intakeWork({ ...tasks, ...deps }),
    async close() {
      await idle();
      await deps.api.close();
    },
  };
}
