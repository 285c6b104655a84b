import { type StreamResponse, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { TaskStreamEvent } from '@agora-market/sdk';
import { type Desk, find, shown } from './desk.ts';
import { contextOf, isAtRest, note, type Standing } from './view.ts';

/** What is seen of a task while it is watched: how it stands, and what its agent says of its progress. */
type Sight = { task: Task } | { progress: TaskStatus };

/**
 * Watches a task until it is at rest. The first sight is how it stands; the log of the API, which is read from its
 * beginning, then tells when to look again.
 */
export async function* watch(desk: Desk, id: string): AsyncGenerator<Sight, void, undefined> {
  const look = async () => {
    const standing = await find(desk, id);
    return { standing, task: await shown(desk, standing, { artifacts: true }) };
  };
  let { standing, task } = await look();
  yield { task };
  if (isAtRest(stateOf(task)) || standing.task === null) return;
  for await (const event of desk.agora.tasks.stream(standing.task.id, desk.options)) {
    if (event.event === 'progress') {
      if (stateOf(task) === TaskState.TASK_STATE_WORKING) yield { progress: progressOf(standing, event.data) };
      continue;
    }
    if (!mayMatter(event, stateOf(task))) continue;
    const before = stateOf(task);
    ({ standing, task } = await look());
    if (stateOf(task) !== before) yield { task };
    if (isAtRest(stateOf(task))) return;
  }
}

const stateOf = ({ status }: Task): TaskState => status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;

/** Whether a task in this state may be in another after the event. Most events of the log are older than the first sight. */
function mayMatter(event: TaskStreamEvent, state: TaskState): boolean {
  if (event.event === 'complete' || event.event === 'error') return true;
  if (event.event === 'status') {
    return event.data.status === 'executing' && state === TaskState.TASK_STATE_SUBMITTED;
  }
  return event.event === 'message' && event.data.blocking;
}

function progressOf(standing: Standing, { percent, message }: { percent: number | null; message: string | null }) {
  const said = [percent === null ? '' : `${percent} %`, message ?? ''].filter((each) => each !== '').join(': ');
  const status: TaskStatus = {
    ...{ state: TaskState.TASK_STATE_WORKING, timestamp: undefined },
    message: note(standing, said, 'agent'),
  };
  return status;
}

/** The same as the events of a stream: the task first, then what changes. */
export async function* eventsOf(sights: AsyncIterable<Sight>): AsyncGenerator<StreamResponse, void, undefined> {
  let first: Task | null = null;
  for await (const sight of sights) {
    if ('task' in sight && first === null) {
      first = sight.task;
      yield { payload: { $case: 'task', value: first } };
      continue;
    }
    const of = { taskId: first?.id ?? '', contextId: contextOf({ id: first?.id ?? '' }), metadata: undefined };
    if ('progress' in sight) {
      yield { payload: { $case: 'statusUpdate', value: { ...of, status: sight.progress } } };
      continue;
    }
    for (const artifact of sight.task.artifacts) {
      yield { payload: { $case: 'artifactUpdate', value: { ...of, artifact, append: false, lastChunk: true } } };
    }
    const { status, metadata } = sight.task;
    yield { payload: { $case: 'statusUpdate', value: { ...of, status, metadata } } };
  }
}
