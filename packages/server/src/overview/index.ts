import type { SignInDeps } from '../auth/index.ts';
import { type Pool, type Route, route } from '../platform/index.ts';
import { deleteAccount } from './delete-account.ts';
import { exportData } from './export.ts';
import { readOverview } from './overview.ts';
import { createPublicFigures } from './public-figures.ts';

export { credentials, credentialsQueue } from './credentials.ts';
export { deletionQueue } from './delete-account.ts';

/** What an owner, or anybody, sees of all districts at once. `reads` are the routes whose replies an export is made of. */
export function overviewRoutes({ pool }: { pool: Pool }, reads: readonly Route[]): Route[] {
  const publicFigures = createPublicFigures(pool);
  return [
    route('system.figures', ({ now }) => publicFigures(now)),
    route('embassy.overview', (call) => readOverview(pool, call)),
    route('embassy.exportData', (call) => exportData(reads, call)),
  ];
}

/** The end of an account, which needs a word with every district. */
export const deletionRoutes = (deps: SignInDeps): Route[] => [
  route('auth.deleteAccount', (call) => deleteAccount(deps, call)),
];
