import { type Pool, type Route, route } from '../platform/index.ts';
import { exportData } from './export.ts';
import { readOverview } from './overview.ts';

/** What an owner sees of all districts at once. `reads` are the routes whose replies an export is made of. */
export const overviewRoutes = ({ pool }: { pool: Pool }, reads: readonly Route[]): Route[] => [
  route('embassy.overview', (call) => readOverview(pool, call)),
  route('embassy.exportData', (call) => exportData(reads, call)),
];
