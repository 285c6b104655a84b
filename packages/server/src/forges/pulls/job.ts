import type { PullRequestReason } from '@agora-market/contract';
import { hasCome, hourMs, type Job, jittered, minuteMs, publicUrl } from '../../platform/index.ts';
import {
  changesOf,
  type DuePull,
  forgetUnpaidPulls,
  keepCommit,
  leasePull,
  type PullEnd,
  putOffPull,
  settlePull,
  type TaskDeps,
} from '../../tasks/index.ts';
import { ForgeRefusal, isPassing } from '../api.ts';
import type { ForgeDeps } from '../deps.ts';
import { publish } from './publish.ts';
import { bodyOf, branchOf, titleOf } from './text.ts';

/** Pauses in ms after the first failure, the second and so on; the try after the last one is the last. */
const retryPauses = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 4 * hourMs, 8 * hourMs, 10 * hourMs] as const;
/** Pull requests that a server works on at once, one of an owner: a slow one holds up its owner's alone. */
const atOnce = 4;
/** Longest time of one try; then another server may begin the next. */
const tryMs = 3 * minuteMs;
const leaseMs = tryMs + minuteMs;

type Deps = ForgeDeps & TaskDeps;

export interface PullRequests {
  jobs: Job[];
  /** Resolves when no try is under way. */
  idle(): Promise<void>;
}

/** Opens the pull requests of completed tasks. Any number of servers may: each takes what no other has. */
export function createPullRequests(deps: Deps): PullRequests {
  const running = new Map<string, Promise<void>>();

  async function begin(): Promise<void> {
    while (running.size < atOnce && !deps.stopping.aborted) {
      const now = deps.clock.now();
      const leaseUntil = new Date(now.getTime() + leaseMs);
      const place = { now, leaseUntil, store: deps.hosts.store, busy: [...running.keys()] };
      const due = await leasePull(deps.pool, place);
      if (due === null) return;
      const { ownerId, taskId } = due;
      const work = attempt(deps, due)
        .catch((error) => deps.log.warn({ err: error, taskId }, 'a try to open a pull request could not be ended'))
        .finally(() => running.delete(ownerId));
      running.set(ownerId, work);
    }
  }

  return {
    jobs: [
      {
        name: 'forges.openPullRequests',
        isOwn: true,
        // What one server alone has on its disk, it opens.
        ...(deps.objects.isShared && ({ role: 'jobs' } as const)),
        due: hasCome('due_at', 'pull_requests'),
        run: begin,
      },
      { name: 'forges.forgetUnpaid', everyMs: 60_000, run: () => forgetUnpaidPulls(deps) },
    ],
    idle: async () => {
      await Promise.all(running.values());
    },
  };
}

async function attempt(deps: Deps, due: DuePull): Promise<void> {
  const task = await deps.loadTask(due.taskId);
  if (task === undefined) return;
  const end = await endOf(deps, due, task);
  if (end !== null) return settlePull(deps, due, task, end);
  const pauseMs = jittered(retryPauses[due.attempts - 1] as number, deps.random());
  await putOffPull(deps.pool, due, new Date(deps.clock.now().getTime() + pauseMs));
}

const failed = (reason: PullRequestReason, said = ''): PullEnd => ({ status: 'failed', reason, said: said || null });

/** What becomes of the pull request in this try; null if it is tried again. */
async function endOf(
  deps: Deps,
  due: DuePull,
  task: Parameters<typeof bodyOf>[0] & { ownerId: string },
): Promise<PullEnd | null> {
  const isLast = due.attempts > retryPauses.length;
  if (due.reason !== null) return failed(due.reason);
  try {
    const found = await deps.accesses.at(task.ownerId, due.wanted.url);
    if (found === null) return failed('not_connected');
    const changes = await changesOf(deps, due);
    if (changes === null) return failed('lost');
    const signal = AbortSignal.any([deps.stopping, AbortSignal.timeout(tryMs)]);
    const at = deps.forges[found.access.forge].at(found.access, found.repository, signal);
    const url = await publish(at, {
      ...{ due, changes, branch: branchOf(task.id), title: titleOf(task, due.wanted.title) },
      body: bodyOf(task, changes, due.wanted, publicUrl(deps.config)),
      keepCommit: (commit) => keepCommit(deps.pool, task.id, commit),
    });
    return { status: 'opened', url };
  } catch (error) {
    deps.log.info({ err: error, taskId: task.id, run: due.attempts }, 'a forge did not open a pull request');
    const said = error instanceof ForgeRefusal ? error.said : '';
    if (isPassing(error)) return isLast ? failed('unreachable', said) : null;
    return failed(reasonOf(error), said);
  }
}

function reasonOf(error: unknown): PullRequestReason {
  const answered = error instanceof ForgeRefusal ? error.answered : 0;
  if (answered === 401) return 'token_refused';
  if (answered === 403) return 'not_permitted';
  return answered === 404 ? 'not_found' : 'refused';
}
