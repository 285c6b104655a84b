import { type StreamResponse, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { TaskStreamEvent } from '@agora-market/sdk';
import { type Desk, find, shown } from './desk.ts';
import { contextOf, isAtRest, note, type Standing, stateOf } from './view.ts';

/** How a task stands while it is watched, or what its agent says of its progress. */
interface Sight {
  standing: Standing;
  progress: TaskStatus | null;
}

/**
 * Watches a task until it is at rest. The first sight is how it stands; the log of the API, which is read from its
 * beginning, then tells when to look again.
 */
export async function* watch(desk: Desk, first: Standing): AsyncGenerator<Sight, void, undefined> {
  let standing = first;
  yield { standing, progress: null };
  if (standing.task === null || isAtRest(stateOf(standing))) return;
  for await (const event of desk.agora.tasks.stream(standing.task.id, desk.options)) {
    const state = stateOf(standing);
    if (event.event === 'progress' && state === TaskState.TASK_STATE_WORKING) {
      yield { standing, progress: progressOf(standing, event.data) };
    }
    if (!mayMatter(event, state)) continue;
    standing = await find(desk, standing.id);
    if (stateOf(standing) !== state) yield { standing, progress: null };
    if (isAtRest(stateOf(standing))) return;
  }
}

/** Whether a task in this state may be in another after the event. Most events of the log are older than the first sight. */
function mayMatter(event: TaskStreamEvent, state: TaskState): boolean {
  if (event.event === 'complete' || event.event === 'error') return true;
  if (event.event === 'status') {
    return event.data.status === 'executing' && state === TaskState.TASK_STATE_SUBMITTED;
  }
  return event.event === 'message' && event.data.blocking && event.data.until !== null;
}

function progressOf(standing: Standing, told: { percent: number | null; message: string | null }): TaskStatus {
  const percent = told.percent === null ? '' : `${told.percent} %`;
  const said = [percent, told.message ?? ''].filter((each) => each !== '').join(': ');
  return { state: TaskState.TASK_STATE_WORKING, timestamp: undefined, message: note(standing, said, 'agent') };
}

/** The same as the events of a stream: the task first, then what changes. */
export async function* eventsOf(desk: Desk, first: Standing): AsyncGenerator<StreamResponse, void, undefined> {
  const of = { taskId: first.id, contextId: contextOf(first), metadata: undefined };
  let isFirst = true;
  for await (const { standing, progress } of watch(desk, first)) {
    if (progress !== null) {
      yield { payload: { $case: 'statusUpdate', value: { ...of, status: progress } } };
      continue;
    }
    const task = await shown(desk, standing, { artifacts: true });
    if (isFirst) yield { payload: { $case: 'task', value: task } };
    else {
      for (const artifact of task.artifacts) {
        yield { payload: { $case: 'artifactUpdate', value: { ...of, artifact, append: false, lastChunk: true } } };
      }
      const { status, metadata } = task;
      yield { payload: { $case: 'statusUpdate', value: { ...of, status, metadata } } };
    }
    isFirst = false;
  }
}
