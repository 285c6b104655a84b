import { AgoraError, type Body, ConflictError, type Task } from '@agora-market/sdk';
import type { Chance } from '../../simulation/chance.ts';
import {
  type Acknowledged,
  deed,
  dice,
  type Kind,
  kinds,
  type Owner,
  refundWindowMs,
  type Stage,
  sleep,
  tolerate,
} from './cast.ts';
import { complain } from './complaints.ts';

type Submission = Body<'tasks.submit'>;

/** What buyers do once they have submitted. Some only look, some never look again. */
const habits = [
  ...(['leave', 'look', 'follow', 'cancel', 'down', 'edge', 'up', 'fickle', 'repeat', 'twins'] as const),
  ...(['dispute', 'dispute', 'dispute'] as const),
] as const;

/** Whom a buyer hires by name; the others are left to routing. */
const hired: Kind[] = [
  ...kinds,
  'honest',
  'honest',
  'honest',
  'honest',
  'worker',
  'worker',
  'liar',
  'hanger',
  'flooder',
];

const isOver = ({ status }: Task) => ['completed', 'failed', 'refunded'].includes(status);

/** What lets a check fail now and then, so that an appeal of it can be upheld and a dispute lost. */
const flaky = ` && date +%N | grep -q '[0-5]..$'`;

/** Everything about the task of a number, by chance alone. */
function submissionOf(stage: Stage, n: number, random: Chance): { body: Submission; check: string | null } {
  const check = random.yes(0.22) ? `proof-${n}.txt` : null;
  const kind = random.of(hired);
  const direct = random.yes(0.55) ? random.of(stage.performers.filter((each) => each.kind === kind)) : undefined;
  const description = `Task ${n}. ${check === null ? 'Say that it is done.' : `Leave ${check} in the workspace.`}`;
  const acceptance = {
    ...(check !== null && {
      checks: [{ name: 'left', command: `grep -q done ${check}${random.yes(0.45) ? flaky : ''}` }],
    }),
    ...(random.yes(0.1) && { schema: { type: 'string', minLength: 3 } }),
  };
  return {
    check,
    body: {
      taskType: 'general',
      maxBudget: random.of([500, 1000, 1000, 2000]),
      input: {
        description,
        ...(random.yes(0.15) && { files: { 'given/readme.txt': `Given with task ${n}.` } }),
        ...(Object.keys(acceptance).length > 0 && { acceptance }),
      },
      ...(direct && { agentId: direct.agentId }),
    },
  };
}

/** One task from its submission to whatever its buyer does last. False if the server would not take it. */
export async function buy(stage: Stage, n: number): Promise<boolean> {
  const random = dice(stage.seed, 'task', n);
  const owner = random.of(stage.buyers);
  const { body, check } = submissionOf(stage, n, random);
  const habit = random.of(habits);
  const idempotencyKey = `task-${stage.seed}-${n}`;
  const { agora } = owner;
  const submit = () => agora.tasks.submit(body, { idempotencyKey });
  const made = await (habit === 'twins' ? twins(stage, submit) : submit()).catch((error) => {
    if (!(error instanceof AgoraError)) throw error;
    return null;
  });
  if (made === null) return false;
  const acknowledged: Acknowledged = { taskId: made.id, agora, maxBudget: body.maxBudget, told: {}, check };
  stage.acknowledged.set(made.id, acknowledged);
  if (habit === 'repeat') await repeat(stage, owner, { body, idempotencyKey, random, taskId: made.id });
  else if (habit === 'cancel') await cancel(stage, acknowledged, random);
  else if (habit !== 'leave' && habit !== 'twins') await tolerate(watch(stage, acknowledged, habit, random));
  return true;
}

/** The same request twice at once: one task. */
async function twins(stage: Stage, submit: () => Promise<Task>): Promise<Task> {
  const both = await Promise.allSettled([submit(), submit()]);
  const made = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  deed(stage, 'submitted twice at once');
  if (made[0] && made[1] && made[0].id !== made[1].id) {
    stage.recorder.fault(`one key made two tasks, ${made[0].id} and ${made[1].id}`);
  }
  if (made[0]) return made[0];
  throw (both[0] as PromiseRejectedResult).reason;
}

/** The same request again, later: the same task. Another request under the same key: refused. */
async function repeat(
  stage: Stage,
  { agora }: Owner,
  first: { body: Submission; idempotencyKey: string; random: Chance; taskId: string },
): Promise<void> {
  const { body, idempotencyKey, random, taskId } = first;
  await sleep(random.below(2_000));
  await tolerate(
    agora.tasks.submit(body, { idempotencyKey }).then(({ id }) => {
      deed(stage, 'submitted again later');
      if (id !== taskId) stage.recorder.fault(`a repeated request made ${id} beside ${taskId}`);
    }),
  );
  const other = agora.tasks.submit({ ...body, maxBudget: body.maxBudget + 1 }, { idempotencyKey });
  await other.then(
    ({ id }) => stage.recorder.fault(`the key of ${taskId} was used for another request, ${id}`),
    (error) => {
      if (!(error instanceof AgoraError)) throw error;
      const refused = error instanceof ConflictError && error.code === 'IDEMPOTENCY_KEY_REUSED';
      if (!refused && error.status !== null && error.status < 500) {
        stage.recorder.fault(`a key used for another request was answered with ${error.code}`);
      }
    },
  );
}

async function cancel(stage: Stage, { taskId, agora, told }: Acknowledged, random: Chance): Promise<void> {
  await sleep(random.below(1_500));
  await tolerate(
    agora.tasks.cancel(taskId).then(() => {
      told.cancelled = true;
      deed(stage, 'cancelled');
    }),
  );
}

async function watch(
  stage: Stage,
  acknowledged: Acknowledged,
  habit: (typeof habits)[number],
  random: Chance,
): Promise<void> {
  const { agora, taskId, told } = acknowledged;
  const task = habit === 'follow' ? await follow(stage, acknowledged) : await look(acknowledged);
  if (task?.status !== 'completed' || habit === 'look' || habit === 'follow') return;
  if (habit === 'dispute') return complain(stage, acknowledged, task, random);
  const thumb = (direction: 'up' | 'down') => agora.tasks.feedback(taskId, { direction });
  if (habit === 'up' || habit === 'fickle') await thumb('up');
  if (habit === 'up') return;
  if (habit === 'edge') {
    // A hair before, at, or after the last moment in which a thumbs-down refunds.
    const edge = Date.parse(task.finishedAt ?? '') + refundWindowMs + random.below(60) - 30;
    await sleep(Math.max(0, edge - Date.now()));
    deed(stage, 'thumbs-down at the edge of the window');
  }
  told.refunded = (await thumb('down')).refunded;
  // Too late for a thumbs-down is what disputes are for.
  if (!told.refunded && random.yes(0.5)) await complain(stage, acknowledged, task, random);
}

/** Asks until the task is over, or for as long as its deadlines can last. */
async function look({ agora, taskId }: Acknowledged): Promise<Task | null> {
  for (let looks = 0; looks < 40; looks++) {
    const task = await agora.tasks.get(taskId);
    if (isOver(task)) return task;
    await sleep(400);
  }
  return null;
}

async function follow(stage: Stage, { agora, taskId }: Acknowledged): Promise<Task> {
  const signal = AbortSignal.timeout(15_000);
  let ended = false;
  try {
    for await (const { event } of agora.tasks.stream(taskId, { signal }))
      ended ||= event === 'complete' || event === 'error';
  } catch (error) {
    if (!signal.aborted && !(error instanceof AgoraError)) throw error;
  }
  const task = await agora.tasks.get(taskId);
  if (ended) deed(stage, 'followed to the end by a stream');
  if (ended && !isOver(task)) stage.recorder.fault(`the stream of ${taskId} ended while the task was ${task.status}`);
  return task;
}
