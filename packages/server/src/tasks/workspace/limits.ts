import { dryRunsAtOnce, openTasksByTier } from '@agora-market/contract';
import { ApiError, type Config, type Hosts, ownersShare, type Pool } from '../../platform/index.ts';
import { agentOf, type TaskRow } from '../sql.ts';
import { agentsOfSameOwner, overShare, type Party, trustTier } from './sql.ts';

/** Who may have how many sandboxes of a machine, and of all machines. */

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
  /** As how many ordinary sandboxes it counts. */
  weight: number;
}

export const weightOfAll = (entries: ReadonlyMap<string, { weight: number }>): number => weigh([...entries.values()]);

const weigh = (entries: readonly { weight: number }[]): number => entries.reduce((sum, { weight }) => sum + weight, 0);

/** How many sandboxes agents and dry runs may have together. */
export const mostInUse = ({ SANDBOX_MAX_LIVE }: Config): number =>
  Math.max(1, Math.floor(SANDBOX_MAX_LIVE * agentsShare));

/** How many of these are left for tasks, whose sandboxes only servers with the role hold. */
export const mostOfTasks = (config: Config): number => (config.ROLES.includes('sandboxes') ? mostInUse(config) : 0);

/** For how many more ordinary sandboxes of tasks there is room, beside those of tasks and dry runs, and all that live. */
export const roomFor = (config: Config, inUse: number, live: number): number =>
  Math.max(0, Math.min(mostOfTasks(config) - inUse, config.SANDBOX_MAX_LIVE - live));

/** Each dry run uses up to two sandboxes: all together have at most a quarter of the machine's, or one runs at a time. */
export const dryRunsOf = ({ SANDBOX_MAX_LIVE }: Config): number =>
  Math.max(1, Math.min(dryRunsAtOnce, Math.floor(SANDBOX_MAX_LIVE / 8)));

export const noneFree = 'All sandboxes of this server are in use. Try again later.';

/** In the details of a refusal, it tells other servers that they may have room. */
export const noRoom = { reason: 'no_room' };

/** Whether a server refused a sandbox because it has no room for it, and for no other reason. */
export const isForRoom = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'SANDBOX_UNAVAILABLE' && error.details.reason === noRoom.reason;

type Shared = { config: Config; hosts: Pick<Hosts, 'capacity' | 'isAlone'> };

/** How many sandboxes the tasks of one buyer may have, and the agents of one seller, at all servers together. */
export const shareOfOwner = ({ config, hosts }: Shared): number =>
  ownersShare(hosts.capacity, config.SANDBOX_OWNER_SHARE);

const whose = { buyer: "The tasks of this task's owner", seller: 'The agents of this owner' };

export const overShareOf = (party: Party, limit: number): ApiError =>
  new ApiError(
    'SANDBOX_UNAVAILABLE',
    `${whose[party]} have ${limit} sandboxes, the share of one owner. End another task or destroy its sandbox.`,
    { limit },
  );

/**
 * One agent or owner must not take every sandbox, and all agents and dry runs together must not take those of the gate. Here
 * those count that are about to start; what the owners have at all servers counts again when it starts (`insertSandbox`).
 */
export async function checkShare(
  { pool, config, hosts }: Shared & { pool: Pool },
  held: ReadonlyMap<string, EntryOf>,
  task: TaskRow,
  inDryRuns: number,
): Promise<void> {
  const ids = [...held.keys()];
  // Later requests do not count, so that the first of several at the limit is served.
  const earlier = ids.slice(0, ids.indexOf(task.id)).flatMap((id) => held.get(id) ?? []);
  const most = mostOfTasks(config);
  const { weight = 1 } = held.get(task.id) ?? {};
  const inUse = weigh(earlier);
  if (inUse + inDryRuns + weight > most) throw new ApiError('SANDBOX_UNAVAILABLE', noneFree, noRoom);
  const share = shareOfOwner({ config, hosts });
  await checkOwners(pool, earlier, { ...task, weight }, share);
  // Before anything is cloned for it.
  const over = hosts.isAlone ? null : await overShare(pool, { task, weight, share });
  if (over !== null) throw overShareOf(over, share);
  if (inUse < most * plenty) return;
  const own = weigh(earlier.filter(({ agentId }) => agentId === task.agentId));
  const limit = openTasksByTier[await trustTier(pool, agentOf(task))];
  if (own < limit) return;
  throw new ApiError(
    'SANDBOX_UNAVAILABLE',
    `Sandboxes are scarce, and the agent has ${own}, the share of its trust tier. End another task or destroy its sandbox.`,
    { limit },
  );
}

/** The share of an owner as far as it is taken here. */
async function checkOwners(
  pool: Pool,
  earlier: EntryOf[],
  task: TaskRow & { weight: number },
  limit: number,
): Promise<void> {
  // Within the share all together: then nobody has more.
  if (weigh(earlier) + task.weight <= limit) return;
  const bought = weigh(earlier.filter(({ ownerId }) => ownerId === task.ownerId));
  const sisters = await agentsOfSameOwner(pool, agentOf(task), [...new Set(earlier.map(({ agentId }) => agentId))]);
  const sold = weigh(earlier.filter(({ agentId }) => sisters.has(agentId)));
  // A single one may be larger than the share.
  const isOver = (used: number) => used > 0 && used + task.weight > limit;
  if (isOver(bought)) throw overShareOf('buyer', limit);
  if (isOver(sold)) throw overShareOf('seller', limit);
}
