import { createHash } from 'node:crypto';
import { errors, refusalsOfOneAgent, toId } from '@agora-market/contract';
import { enqueue, handler, type JobHandler } from '../../jobs/index.ts';
import {
  ApiError,
  dayMs,
  hourMs,
  type Job,
  type OwnerCaller,
  publicUrl,
  transaction,
  untilEmpty,
} from '../../platform/index.ts';
import { activeCaller, claimedTask, submitOnce, type TaskDeps } from '../../tasks/index.ts';
import { isPassing } from '../api.ts';
import type { ForgeDeps } from '../deps.ts';
import type { RepositoryAt } from '../forge.ts';
import { money } from '../pulls/text.ts';
import { readRequestKind, type Telling, tellRequestKind } from './kinds.ts';
import {
  anyOver,
  closeRequest,
  deleteRequests,
  endRequests,
  findIntake,
  findRequest,
  type IntakeRow,
  isUnderWay,
  lockIntake,
  noteLabelling,
  openRequest,
  pullEnd,
  type RequestRow,
  spentSince,
  storeTask,
} from './sql.ts';
import { endedText, markerOf, refusedText, startedText } from './text.ts';
import { verdictOf } from './verdict.ts';
import { type Wish, wishOf } from './wish.ts';

type Deps = ForgeDeps & TaskDeps;

/** Forges send a delivery again for three days at most. */
const keptMs = 30 * dayMs;
/** No run is tried for so long: what has no task by then will have none, and keeps issue and budget no more. */
const stuckMs = 2 * dayMs;
/** By how much the clocks of a forge and this server may differ. */
const skewMs = hourMs;

/** What makes tasks of requests, and tells the forge what became of them. */
export const intakeWork = (deps: Deps): { handlers: JobHandler[]; jobs: Job[] } => ({
  handlers: [
    handler(readRequestKind, ({ requestId }, signal) => readRequest(deps, requestId, signal)),
    handler(tellRequestKind, (telling, signal) => tellRequest(deps, telling, signal)),
  ],
  jobs: [
    { name: 'forges.endRequests', due: anyOver, run: () => untilEmpty(100, (limit) => endSome(deps, limit)) },
    {
      name: 'forges.forgetRequests',
      everyMs: hourMs,
      run: () => {
        const ago = (ms: number) => new Date(deps.clock.now().getTime() - ms);
        return untilEmpty(500, (limit) => deleteRequests(deps.pool, ago(keptMs), ago(stuckMs), limit));
      },
    },
  ],
});

const tell = (tx: Parameters<typeof enqueue>[0], { clock }: Deps, requestId: string, what: Telling['what']) =>
  enqueue(tx, clock, tellRequestKind, {
    key: `${requestId} ${what}`,
    payload: { requestId, what },
    at: clock.now(),
  });

const endSome = (deps: Deps, limit: number): Promise<number> =>
  transaction(deps.pool, 'write', async (tx) => {
    const ended = await endRequests(tx, limit);
    for (const { id } of ended) await tell(tx, deps, id, 'ended');
    return ended.length;
  });

/** Makes the task of a request, once, whatever ends in the middle: its submission has a key of the request's own. */
async function readRequest(deps: Deps, requestId: string, signal: AbortSignal): Promise<void> {
  const request = await findRequest(deps.pool, requestId);
  const isDue = request !== null && request.taskId === null && (request.status === 'new' || request.status === 'open');
  const intake = isDue ? await findIntake(deps.pool, request.intakeId) : null;
  if (!isDue || intake === null) return;
  const claimId = createHash('sha256').update(`intake request ${request.id}`).digest('hex');
  const made = request.status === 'open' ? await claimedTask(deps.pool, claimId) : null;
  if (made !== null) return started(deps, request, made);
  const [access, caller] = await Promise.all([
    deps.accesses.of(intake.ownerId, intake),
    activeCaller(deps.pool, intake.ownerId, claimId),
  ]);
  if (access === null || caller === null) return close(deps, request, { kind: 'ignored' });
  const url = `${access.root}/${intake.repository}.git`;
  const at = deps.forges[intake.forge].at(access, intake.repository, signal);
  const isFirst = (labelling: number) => noteLabelling(deps.pool, request, labelling);
  const repositoryAt = (name: string) => deps.forges[intake.forge].at(access, name, signal);
  const wish = await wishOf(at, request, intake, { url, isFirst, repositoryAt }).catch((error): Wish => {
    if (isPassing(error)) throw error;
    deps.log.info({ err: error, requestId }, 'a forge does not let a request be read');
    return { kind: 'ignored' };
  });
  if (wish.kind !== 'task') return close(deps, request, wish);
  // The comment may have been edited since a run before this one has opened the request.
  const maxBudget = Math.min(wish.body.maxBudget, request.budget ?? wish.body.maxBudget);
  const refusal = request.status === 'open' ? null : await open(deps, request, intake, maxBudget);
  if (refusal !== null) return close(deps, request, { kind: 'refused', told: refusal });
  const asked = { ...wish, body: { ...wish.body, maxBudget } };
  try {
    return await started(deps, request, await submit(deps, request, caller, asked, claimId));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    // Of the file's fields, with what this server has; and the policy's rule, without its limits.
    const isToldWhole = ['VALIDATION_ERROR', 'PLAN_REQUIRED', 'POLICY_DENIED'].includes(error.code);
    return close(deps, request, { kind: 'refused', told: isToldWhole ? error.message : errors[error.code].message });
  }
}

/** Keeps budget and issue for the request; a text where one of both is taken. */
const open = (deps: Deps, request: RequestRow, intake: IntakeRow, budget: number): Promise<string | null> =>
  transaction(deps.pool, 'write', async (tx) => {
    await lockIntake(tx, intake.id);
    const current = await findRequest(tx, request.id);
    if (current?.status !== 'new') throw new Error('another run has read the request');
    if (await isUnderWay(tx, request)) return 'An agent works on this already.';
    const now = deps.clock.now();
    const today = new Date(now.getTime() - (now.getTime() % dayMs));
    const left = intake.dailyBudget - (await spentSince(tx, intake.id, today));
    if (budget > left) {
      return `Of today's ${money(intake.dailyBudget)} there are ${money(Math.max(0, left))} left, and ${money(budget)} were asked for. Ask for less, or again tomorrow (UTC).`;
    }
    await openRequest(tx, request.id, budget, now);
    return null;
  });

const close = (deps: Deps, { id }: RequestRow, wish: Exclude<Wish, { kind: 'task' }>): Promise<void> =>
  transaction(deps.pool, 'write', async (tx) => {
    const told = wish.kind === 'refused' ? wish.told : null;
    const isClosed = await closeRequest(tx, id, { status: wish.kind, told });
    if (isClosed === 1 && told !== null) await tell(tx, deps, id, 'refused');
  });

const started = (deps: Deps, { id }: RequestRow, taskId: string): Promise<void> =>
  transaction(deps.pool, 'write', async (tx) => {
    if ((await storeTask(tx, id, taskId)) === 1) await tell(tx, deps, id, 'started');
  });

/** Submits the task of a request and gives its UUID. */
async function submit(
  deps: Deps,
  { id }: RequestRow,
  caller: OwnerCaller,
  { body, agents }: Extract<Wish, { kind: 'task' }>,
  claimId: string,
): Promise<string> {
  const tries = agents?.map((agent) => ({ ...body, agentId: toId('agent', agent) })) ?? [body];
  for (const [nth, each] of tries.entries()) {
    try {
      return await submitOnce(deps, { caller, body: each, correlationId: id, claimId });
    } catch (error) {
      const isLast = nth === tries.length - 1;
      if (isLast || !(error instanceof ApiError) || !refusalsOfOneAgent.includes(error.code)) throw error;
    }
  }
  throw new Error('a request names no agent');
}

/** Says in one comment what became of a request. After a crash at any point it can run again: the comment is looked for. */
async function tellRequest(deps: Deps, { requestId, what }: Telling, signal: AbortSignal): Promise<void> {
  const request = await findRequest(deps.pool, requestId);
  const intake = request && (await findIntake(deps.pool, request.intakeId));
  const access = intake && (await deps.accesses.of(intake.ownerId, intake));
  if (!request || !intake || !access) return;
  const text = await textOf(deps, request, what);
  if (text === null) return;
  const at = deps.forges[intake.forge].at(access, intake.repository, signal);
  try {
    if (what === 'ended') await tellVerdict(deps, at, request);
    const marker = markerOf(request, what);
    const said = await at.comments(request, new Date(Date.parse(request.createdAt) - skewMs));
    // Others could write the marker too, so that nothing would be said.
    const isSaid = said.some(({ by, body }) => by?.name === access.login && body.startsWith(marker));
    if (!isSaid) await at.say(request, `${marker}\n${text}`);
  } catch (error) {
    if (isPassing(error)) throw error;
    deps.log.info({ err: error, requestId }, 'a forge takes no comment about a request');
  }
}

async function textOf(deps: Deps, request: RequestRow, what: Telling['what']): Promise<string | null> {
  if (what === 'refused') return refusedText(request);
  const task = request.taskId === null ? undefined : await deps.loadTask(request.taskId);
  // What has ended is told at once, and not first that it began.
  if (task === undefined || (what === 'started' && request.status === 'ended')) return null;
  const baseUrl = publicUrl(deps.config);
  return what === 'started' ? startedText(task, baseUrl) : endedText(task, await pullEnd(deps.pool, task.id), baseUrl);
}

/** The verdict at the commit that was made for the pull request, and at no later one, where the token may say it. */
async function tellVerdict(deps: Deps, at: RepositoryAt, { taskId }: RequestRow): Promise<void> {
  const task = taskId === null ? undefined : await deps.loadTask(taskId);
  if (task?.status !== 'completed') return;
  try {
    const commit = (await pullEnd(deps.pool, task.id))?.commit;
    if (commit) await at.tellVerdict(commit, await verdictOf(deps, task));
  } catch (error) {
    if (isPassing(error)) throw error;
  }
}
