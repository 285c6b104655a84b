import { ApiError, type Call, PeerAway, type Role } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { byRoom } from './workspace/placement.ts';

/**
 * Lets a server with the role run the rule of a call that changes nothing. Another is asked only where one cannot be reached:
 * what ends one server must not be handed to the next.
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
      if (!(error instanceof PeerAway) || error.mayHaveBegun || call.whenGone().aborted) throw error;
      away = error;
    }
  }
  throw away;
}
