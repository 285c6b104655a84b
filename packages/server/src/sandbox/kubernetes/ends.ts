import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';

/**
 * Why a Pod does not start, or has ended, in words. Every end is the cluster's, or the sandbox's own; none says anything
 * about the agent whose work was in it.
 */

export type PodFate =
  /** It may still become well. */
  | { state: 'waits'; why: string }
  | { state: 'runs' }
  /** It never will be. */
  | { state: 'over'; why: string };

const CLUSTER_ENDS: Record<string, string> = {
  Evicted: 'its node evicted it',
  Preempting: 'a Pod of higher priority took its place',
  Preempted: 'a Pod of higher priority took its place',
  PreemptionByScheduler: 'a Pod of higher priority took its place',
  DeadlineExceeded: 'it reached the end of its lifetime',
  NodeLost: 'its node was lost',
  NodeShutdown: 'its node was shut down',
  Shutdown: 'its node was shut down',
  Terminated: 'its node was shut down',
  TerminationByKubelet: 'its node ended it',
  NodeAffinity: 'its node no longer fits',
  UnexpectedAdmissionError: 'its node refused it',
  DeletionByTaintManager: 'its node was lost or is being emptied',
  EvictionByEvictionAPI: 'its node is being drained',
  DeletionByPodGC: 'its node is gone',
};

/** Those that waiting does not cure, or not soon. */
const NO_IMAGE = new Set(['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError']);
const NO_CONTAINER = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'CrashLoopBackOff',
  'StartError',
]);

const withMessage = (why: string, message: string | undefined) => (message ? `${why} (${message.trim()})` : why);

export function fateOf(pod: V1Pod): PodFate {
  const { status = {} } = pod;
  const conditions = status.conditions ?? [];
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const disrupted = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (disrupted) return over(named(disrupted.reason), disrupted.message);
  if (status.phase === 'Failed' && status.reason) return over(named(status.reason), status.message);
  const killed = statuses.find(({ state }) => state?.terminated?.reason === 'OOMKilled');
  if (killed) return over(`its container ${killed.name} had no memory left`);
  if (pod.metadata?.deletionTimestamp) return over('it was deleted by somebody else, or its node is being drained');
  const failed = statuses.find(({ state }) => state?.terminated && state.terminated.exitCode !== 0);
  if (failed) return over(endOf(failed), failed.state?.terminated?.message);
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return over('its containers have ended');
  for (const { name, image, state } of statuses) {
    const { reason = '', message } = state?.waiting ?? {};
    if (NO_IMAGE.has(reason)) return over(`the image ${image} cannot be had: ${reason}`, message);
    if (NO_CONTAINER.has(reason)) return over(`its container ${name} cannot be started: ${reason}`, message);
  }
  if (status.phase === 'Running') return { state: 'runs' };
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return waits('no node has room for it', unscheduled.message);
  const pulling = statuses.find(({ state }) => state?.waiting?.reason === 'ErrImagePull');
  if (pulling) return waits(`the image ${pulling.image} cannot be had yet`, pulling.state?.waiting?.message);
  return waits(pod.spec?.nodeName ? `the node ${pod.spec.nodeName} is still starting it` : 'no node was chosen yet');
}

/**
 * Whether what is in a Pod that had begun goes on for the time that its end was announced with. Its node may not have told yet
 * that it had.
 */
export const stillRuns = ({ status = {} }: V1Pod): boolean =>
  !['Failed', 'Succeeded'].includes(status.phase ?? '') &&
  !(status.containerStatuses ?? []).some(({ state }) => state?.terminated);

const named = (reason: string | undefined) =>
  CLUSTER_ENDS[reason ?? ''] ?? (/^OutOf/.test(reason ?? '') ? 'its node had no room after all' : `${reason}`);

function endOf({ name, state }: V1ContainerStatus): string {
  const { exitCode, signal, reason } = state?.terminated ?? {};
  return `its container ${name} ended with ${signal ? `signal ${signal}` : `exit code ${exitCode}`}${reason ? `: ${reason}` : ''}`;
}

const over = (why: string, message?: string): PodFate => ({ state: 'over', why: withMessage(why, message) });
const waits = (why: string, message?: string): PodFate => ({ state: 'waits', why: withMessage(why, message) });
