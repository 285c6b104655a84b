import type { V1Pod } from '@kubernetes/client-node';
import { isLeftOver } from '../docker/owner.ts';
import { SERVER_ANNOTATION } from './spec.ts';

/**
 * Whether a Pod is one of an ended server. Those of servers on other machines end with their connections, and are then taken
 * away; one that has not started long after its server has given it up never had a connection.
 */
export function isAbandoned({ metadata, status }: V1Pod, nowMs: number, startMs: number): boolean {
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const madeMs = metadata?.creationTimestamp?.getTime() ?? nowMs;
  const isGivenUp = status?.phase === 'Pending' && nowMs - madeMs > 2 * startMs;
  return isLeftOver(metadata?.annotations?.[SERVER_ANNOTATION], !(hasEnded || isGivenUp));
}
