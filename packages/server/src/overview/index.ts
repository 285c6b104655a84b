import { type Pool, type Route, route } from '../platform/index.ts';
import { readOverview } from './overview.ts';

/** What an owner sees of all districts at once. */
export const overviewRoutes = ({ pool }: { pool: Pool }): Route[] => [
  route('embassy.overview', (call) => readOverview(pool, call)),
];
