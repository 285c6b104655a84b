import type { SignInDeps } from '../auth/index.ts';
import { type Jobs, type Pool, type Route, route } from '../platform/index.ts';
import { deleteAccount } from './delete-account.ts';
import { exportData } from './export.ts';
import { listAgents, readAgent } from './operator/agents.ts';
import { readOwner, searchOwners } from './operator/owners.ts';
import { retryJobs } from './operator/retry-jobs.ts';
import { readStuck } from './operator/stuck.ts';
import { readTask } from './operator/task.ts';
import { readOverview } from './overview.ts';
import { createPublicFigures } from './public-figures.ts';

export { credentials, credentialsQueue } from './credentials.ts';
export { deletionQueue } from './delete-account.ts';
export { searchOwners } from './operator/owners.ts';
export { retryJobs } from './operator/retry-jobs.ts';
export { readStuck } from './operator/stuck.ts';

/** What an owner, the operator or anybody sees of all districts at once. `reads` are the routes whose replies an export is made of. */
export function overviewRoutes(deps: { pool: Pool; jobs: Pick<Jobs, 'states'> }, reads: readonly Route[]): Route[] {
  const { pool } = deps;
  const publicFigures = createPublicFigures(pool);
  return [
    route('system.figures', ({ now }) => publicFigures(now)),
    route('embassy.overview', (call) => readOverview(pool, call)),
    route('embassy.exportData', (call) => exportData(reads, call)),
    route('operator.owners', ({ query }) => searchOwners(pool, query)),
    route('operator.owner', (call) => readOwner(pool, call)),
    route('operator.agents', (call) => listAgents(pool, call)),
    route('operator.agent', (call) => readAgent(pool, call)),
    route('operator.task', (call) => readTask(pool, call)),
    route('operator.retryJobs', ({ tx, body, now: at, correlationId }) =>
      retryJobs(tx, { ...body, at, correlationId }),
    ),
    route('operator.stuck', ({ now, query }) => readStuck(deps, now, query.pageSize)),
  ];
}

/** The end of an account, which needs a word with every district. */
export const deletionRoutes = (deps: SignInDeps): Route[] => [
  route('auth.deleteAccount', (call) => deleteAccount(deps, call)),
];
