import { can, type OperationId, type Operations } from '@agora-market/contract';
import { ApiError, type Call, type Peer, PeerAway, type Route, route } from '../../platform/index.ts';
import { permit } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { assigned } from './handlers.ts';
import { isForRoom } from './limits.ts';
import { byRoom } from './placement.ts';
import { SessionElsewhere, stopping } from './session.ts';
import { spared } from './spare.ts';
import { type Holder, isLiving, lastHolder } from './sql.ts';

/**
 * One process has a task's sandbox, and one disk has its kept workspace while that is in no bucket. Calls about them run
 * there, wherever they arrive.
 */

type HeldId = Extract<OperationId, `sandbox.${string}` | 'tasks.complete'>;
type HeldCall = Call<Operations[HeldId]>;

const passedOn: ReadonlySet<string> = new Set<OperationId>([
  'tasks.complete',
  'tasks.changes',
  'tasks.patch',
  'tasks.workspace',
  'tasks.tryChecks',
  'system.environments',
  'artifacts.download',
  'courts.disputedWork',
  'courts.docketWork',
]);

/** Operations that servers take from each other. */
export const isPassedOn = ({ operation: { id } }: Route): boolean => id.startsWith('sandbox.') || passedOn.has(id);

/**
 * Binds an operation to its rule at the server that has the task's sandbox. With `lazily` the server is looked up only
 * when the rule misses something here: most deliveries have no workspace and must not cost another query.
 */
export function heldRoute<Id extends HeldId>(
  deps: TaskDeps,
  id: Id,
  run: Parameters<typeof route<Id>>[1],
  { lazily = false, recover }: { lazily?: boolean; recover?: Parameters<typeof route<Id>>[2] } = {},
): Route {
  const rule = run as unknown as (call: HeldCall) => Promise<unknown>;
  const orElsewhere = (call: HeldCall): Promise<unknown> =>
    rule(call).catch((error) => (isForRoom(error) ? atOneWithRoom(deps, call, error) : Promise.reject(error)));
  const atHolder = async (call: HeldCall): Promise<unknown> => {
    if (call.passedOn) return rule(call);
    // A provision begins anew where nothing is kept, also what a server has on its disk that has stopped.
    if (!lazily && (!deps.hosts.isAlone || id === 'sandbox.provision')) {
      const task = await assigned(deps, call);
      const holder = deps.sandboxes.holds(task.id) ? null : await holderOf(deps, task);
      if (holder) return deps.peers.passOn(holder, call as unknown as Call);
    }
    try {
      return await orElsewhere(call);
    } catch (error) {
      if (!isMissed(error)) throw error;
      const task = await assigned(deps, call);
      const holder = await holderOf(deps, task);
      if (holder) return deps.peers.passOn(holder, call as unknown as Call);
      // Another server may have kept it where this one has not looked yet.
      if (!(await deps.sandboxes.isKept(task.id))) throw error;
      return orElsewhere(call);
    }
  };
  const standing = (call: HeldCall) =>
    atHolder(call).catch(async (error) => {
      if (isWithout(error)) await refuseIfOver(deps, call);
      if (isLost(error)) throw await withSnapshot(deps, call, error);
      // A stop ends sandboxes under their calls.
      if (isUnavailable(error) && deps.stopping.aborted) {
        throw new ApiError('NOT_READY', stopping, {}, { cause: error });
      }
      throw error;
    });
  return route(id, standing as never, recover as never);
}

/**
 * Has the sandbox started where there is room: each server that said so is asked once, and a start that was passed on is not
 * passed on again. Refuses as this server did where nobody has room.
 */
async function atOneWithRoom(deps: TaskDeps, call: HeldCall, refusal: unknown): Promise<unknown> {
  const task = await assigned(deps, call);
  const able = deps.hosts.reachable.filter(({ roles }) => roles.includes('sandboxes'));
  if (able.length === 0 && !deps.config.ROLES.includes('sandboxes')) {
    const nobody = new ApiError('NOT_READY', 'No server that has sandboxes can be reached. Try again.');
    return spared(deps, task, () => Promise.reject(nobody));
  }
  if (able.every(({ room }) => room === 0)) throw refusal;
  const last = await lastHolder(deps.pool, task);
  if (last?.store === deps.hosts.store && (await isOnOneDisk(deps, task, last))) throw refusal;
  const weight = deps.sandboxes.weightOf(task.input);
  const asked = new Set<string>();
  const silent: string[] = [];
  // Anew for each, for a server that did not answer was waited for, and others have room by now.
  const next = () => byRoom(deps.hosts.reachable, weight, deps.random).find(({ id }) => !asked.has(id));
  const passTo = (peer: Peer) => deps.peers.passOn(peer, call as unknown as Call);
  let why = refusal;
  for (let peer = next(); peer !== undefined; peer = next()) {
    asked.add(peer.id);
    try {
      return await passTo(peer);
    } catch (error) {
      const winner = await winnerOf(deps, task, error, [peer.id, ...silent]);
      if (winner !== null) return passTo(winner);
      if (call.whenGone().aborted || !(isForRoom(error) || error instanceof PeerAway)) throw error;
      if (!(error instanceof PeerAway)) continue;
      silent.push(peer.id);
      why = error;
    }
  }
  // No agent is late for a server that does not answer.
  return spared(deps, task, () => Promise.reject(why));
}

/**
 * Of two starts of a task at a time one is first, and has the sandbox: the server that has it where another refused for that.
 * Throws the refusal where that server did not answer: it may have done what the call asks for, and is not asked to do so again.
 */
async function winnerOf(
  deps: TaskDeps,
  task: TaskRow,
  refusal: unknown,
  mayHaveDone: readonly string[],
): Promise<Peer | null> {
  const holder = isNotReady(refusal) ? await holderOf(deps, task) : null;
  if (holder !== null && mayHaveDone.includes(holder.id)) throw refusal;
  return holder;
}

const isNotReady = (error: unknown): boolean => error instanceof ApiError && error.code === 'NOT_READY';

/** Whether the disk of its last holder alone has the work of a task, or a snapshot of it, so that it can go on nowhere else. */
const isOnOneDisk = async (deps: TaskDeps, task: TaskRow, { status, snapshotAt }: Holder): Promise<boolean> =>
  status === 'kept'
    ? !(deps.objects.isShared && (await deps.sandboxes.isKept(task.id)))
    : status === 'lost' && snapshotAt !== null && !deps.objects.isShared;

const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.code === 'SANDBOX_UNAVAILABLE';

const isWithout = (error: unknown): boolean => isUnavailable(error) || isMissed(error);

/** The sandbox may be gone because a faster request has ended the task, which no other try will change. */
async function refuseIfOver(deps: TaskDeps, call: HeldCall): Promise<void> {
  const task = await assigned(deps, call);
  if (!can.start(task, 'assignee').ok) permit(can.complete(task, 'assignee'));
}

const isLost = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'SANDBOX_LOST';

const isMissed = (error: unknown): boolean => error instanceof SessionElsewhere || isLost(error);

/** The refusal says which of the work an agent has back when it provisions again. */
async function withSnapshot(deps: TaskDeps, call: HeldCall, refusal: ApiError): Promise<ApiError> {
  const snapshotAt = await deps.sandboxes.snapshotOf(await assigned(deps, call));
  if (snapshotAt === null) return refusal;
  const message = `The sandbox ended by itself. Its work of ${snapshotAt} is stored: provision it again to go on with that, or destroy it to begin anew.`;
  return new ApiError('SANDBOX_LOST', message, { snapshotAt }, { cause: refusal });
}

/**
 * Another server that has the task's sandbox or, on its disk, its kept work; null if none has. Refuses while it may come back,
 * which makes no agent late.
 */
const holderOf = (deps: TaskDeps, task: TaskRow): Promise<Peer | null> =>
  spared(deps, task, () => findHolder(deps, task));

async function findHolder(deps: TaskDeps, task: TaskRow): Promise<Peer | null> {
  const found = await lastHolder(deps.pool, task);
  if (found === null || found.store === null) return null;
  if (isLiving(found)) {
    const isElsewhere = found.livingId === found.host && found.host !== deps.hosts.id;
    return isElsewhere ? { id: found.host, address: found.address } : null;
  }
  return (await isOnOneDisk(deps, task, found)) ? keeperOf(deps, found) : null;
}

function keeperOf(deps: TaskDeps, { status, store, livingId, address, endedAt }: Holder): Peer | null {
  if (store === deps.hosts.store) return null;
  if (livingId !== null) return { id: livingId, address };
  // A snapshot is not waited for: it is not all of the work.
  if (status !== 'kept') return null;
  const untilMs = Date.parse(endedAt ?? '') + deps.config.DELIVERY_WAIT_MS;
  if (untilMs <= deps.clock.now().getTime()) return null;
  throw new ApiError('NOT_READY', "The server that holds this task's kept workspace cannot be reached. Try again.", {
    waitsUntil: new Date(untilMs).toISOString(),
  });
}
