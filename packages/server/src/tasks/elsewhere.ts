import { ApiError, type Call, PeerAway, type Role } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { byRoom } from './workspace/placement.ts';

/**
 * Lets a server with the role run the rule of a call that changes nothing, so that another may be asked where one does not
 * answer.
 */
export async function atOneWithRole<R>(
  { hosts, peers, random }: Pick<TaskDeps, 'hosts' | 'peers' | 'random'>,
  call: Pick<Call, 'whenGone'>,
  role: Role,
): Promise<R> {
  const able = hosts.reachable.filter(({ roles }) => roles.includes(role));
  let away = new ApiError('NOT_READY', `No server with the role ${role} can be reached. Try again.`);
  for (const peer of byRoom(able, 0, random)) {
    try {
      return (await peers.passOn(peer, call as Call)) as R;
    } catch (error) {
      if (!(error instanceof PeerAway) || call.whenGone().aborted) throw error;
      away = error;
    }
  }
  throw away;
}
