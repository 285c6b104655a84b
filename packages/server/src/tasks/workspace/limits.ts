import { dryRunsAtOnce, openTasksByTier } from '@agora/contract';
import { ApiError, type Config, type Pool } from '../../platform/index.ts';
import { agentOf, type TaskRow } from '../sql.ts';
import { agentsOfSameOwner, trustTier } from './sql.ts';

/** Who may have how many of the machine's sandboxes. */

/** The share of the machine's sandboxes that agents and dry runs may use; the others are the gate's. */
const agentsShare = 0.8;
/**
 * Above this part of the agents' share, an agent gets no more than its tier allows; below it there is enough for all.
 */
const plenty = 0.5;

interface EntryOf {
  agentId: string;
  /** The buyer. */
  ownerId: string;
}

/** How many sandboxes agents and dry runs may have together. */
export const mostInUse = ({ SANDBOX_MAX_LIVE }: Config): number =>
  Math.max(1, Math.floor(SANDBOX_MAX_LIVE * agentsShare));

/** Each dry run uses up to two sandboxes: all together have at most a quarter of the machine's, or one runs at a time. */
export const dryRunsOf = ({ SANDBOX_MAX_LIVE }: Config): number =>
  Math.max(1, Math.min(dryRunsAtOnce, Math.floor(SANDBOX_MAX_LIVE / 8)));

export const noneFree = 'All sandboxes of this server are in use. Try again later.';

/** One agent or owner must not take every sandbox, and all agents and dry runs together must not take those of the gate. */
export async function checkShare(
  { pool, config }: { pool: Pool; config: Config },
  held: ReadonlyMap<string, EntryOf>,
  task: TaskRow,
  inDryRuns: number,
): Promise<void> {
  const ids = [...held.keys()];
  // Later requests do not count, so that the first of several at the limit is served.
  const earlier = ids.slice(0, ids.indexOf(task.id)).flatMap((id) => held.get(id) ?? []);
  const most = mostInUse(config);
  if (earlier.length + inDryRuns >= most) throw new ApiError('SANDBOX_UNAVAILABLE', noneFree);
  await checkOwners(pool, earlier, task, Math.max(1, Math.floor(most * config.SANDBOX_OWNER_SHARE)));
  if (earlier.length < most * plenty) return;
  const own = earlier.filter(({ agentId }) => agentId === task.agentId).length;
  const limit = openTasksByTier[await trustTier(pool, agentOf(task))];
  if (own < limit) return;
  throw new ApiError(
    'SANDBOX_UNAVAILABLE',
    `Sandboxes are scarce, and the agent has ${own}, the share of its trust tier. End another task or destroy its sandbox.`,
    { limit },
  );
}

/** The tasks of one buyer, and the agents of one seller, may have at most an owner's share. */
async function checkOwners(pool: Pool, earlier: EntryOf[], task: TaskRow, limit: number): Promise<void> {
  // Fewer than the share all together: then nobody has more.
  if (earlier.length < limit) return;
  const bought = earlier.filter(({ ownerId }) => ownerId === task.ownerId).length;
  const sisters = await agentsOfSameOwner(pool, agentOf(task), [...new Set(earlier.map(({ agentId }) => agentId))]);
  const sold = earlier.filter(({ agentId }) => sisters.has(agentId)).length;
  if (Math.max(bought, sold) < limit) return;
  const whose = bought >= limit ? "The tasks of this task's owner" : 'The agents of this owner';
  throw new ApiError(
    'SANDBOX_UNAVAILABLE',
    `${whose} have ${limit} sandboxes on this server, the share of one owner. End another task or destroy its sandbox.`,
    { limit },
  );
}
