import type { ForgeKind } from '@agora-market/contract';
import type { JobHandler } from '../jobs/index.ts';
import { type Clock, type Config, type Job, type Pool, type Route, route } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import { type Accesses, createAccesses } from './access.ts';
import { createForgeApi } from './api.ts';
import { authorize, connect, disconnect, listOwnConnections, listRepositories, readConnection } from './connection.ts';
import type { ForgeDeps } from './deps.ts';
import type { Forge } from './forge.ts';
import { createGitea } from './gitea/gitea.ts';
import { createApp } from './github/app.ts';
import { createGitHub } from './github/github.ts';
import { createGitLab } from './gitlab/gitlab.ts';
import { listOwnIntakes, removeIntake, setIntake } from './intake/manage.ts';
import { receive, receiveForApp } from './intake/receive.ts';
import { createSecrets } from './intake/secrets.ts';
import { intakeWork } from './intake/work.ts';
import { createPullRequests } from './pulls/job.ts';
import { createPush } from './push.ts';

export { eraseForges } from './erase.ts';
export { inputOf, projectFileOf } from './intake/project-file.ts';
export { reencryptForges } from './reencrypt.ts';

export interface Forges {
  routes: Route[];
  accesses: Accesses;
  /** What opens the pull requests of completed tasks. */
  pulls(tasks: TaskDeps): { jobs: Job[] };
  /** What makes tasks of issues. */
  intake(tasks: TaskDeps): { jobs: Job[]; handlers: JobHandler[] };
  close(): Promise<void>;
}

export function createForges(base: { pool: Pool; config: Config; clock: Clock }): Forges {
  const { pool, config, clock } = base;
  const api = createForgeApi(config);
  const push = createPush(base);
  const app = createApp(api, config, clock);
  const forges: Record<ForgeKind, Forge> = {
    github: createGitHub(api, config.GITHUB_API_BASE, app),
    gitea: createGitea(api, push),
    gitlab: createGitLab(api, push),
  };
  const deps: ForgeDeps = { ...base, api, forges, app, accesses: createAccesses(pool, config, app) };
  const intakes = { ...deps, secrets: createSecrets(config) };
  let idle = async () => {};
  return {
    routes: [
      route('github.connection', (call) => readConnection(deps, call)),
      route('github.connections', (call) => listOwnConnections(deps, call)),
      route('github.connect', (call) => connect(deps, call)),
      route('github.disconnect', (call) => disconnect(deps, call)),
      route('github.authorize', (call) => authorize(deps, call)),
      route('github.repositories', (call) => listRepositories(deps, call)),
      route('github.setIntake', (call) => setIntake(intakes, call)),
      route('github.intakes', (call) => listOwnIntakes(intakes, call)),
      route('github.removeIntake', (call) => removeIntake(call)),
      route('github.intakeWebhook', (call) => receive(intakes, call)),
      route('github.appWebhook', (call) => receiveForApp(deps, call)),
    ],
    accesses: deps.accesses,
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
