import {
  chargedStatuses,
  type PullRequestView,
  pullRequestFailures,
  type TaskView,
  toId,
} from '@agora-market/contract';
import type { Pool } from '../../platform/index.ts';
import type { TaskRow } from '../sql.ts';
import { type PullState, pullStates } from './sql.ts';
import { isWanted } from './wish.ts';

const pending: PullRequestView = { status: 'pending', url: null, reason: null, message: null };

/** Adds to tasks, as their submitter sees them, what became of their pull requests. */
export async function withPullRequests<View extends Pick<TaskView, 'id' | 'pullRequest'>>(
  { pool }: { pool: Pool },
  tasks: readonly TaskRow[],
  views: View[],
): Promise<View[]> {
  const asked = new Map(tasks.filter(mayHaveOne).map((task) => [toId('task', task.id), task]));
  if (asked.size === 0) return views;
  const ids = [...asked.values()].map(({ id }) => id);
  const states = new Map((await pullStates(pool, ids)).map((state) => [toId('task', state.taskId), state]));
  return views.map((view) => {
    const [task, state] = [asked.get(view.id), states.get(view.id)];
    if (task === undefined) return view;
    // Without a state, its changes could not be stored yet.
    const isPending = (task.status === 'completed' || task.acceptedAt !== null) && isWanted(task.input);
    return { ...view, pullRequest: state ? viewOf(state) : isPending ? pending : null };
  });
}

/** An erased input does not say any more what was asked for. */
const mayHaveOne = ({ status, acceptedAt, submitterAgentId, input, inputExpiresAt }: TaskRow): boolean =>
  (chargedStatuses.includes(status) || acceptedAt !== null) &&
  submitterAgentId === null &&
  (isWanted(input) || inputExpiresAt === null);

function viewOf({ status, url, reason, said }: PullState): PullRequestView {
  if (status !== 'failed' || reason === null) return { ...pending, status, url };
  const why = `There is no pull request, because ${pullRequestFailures[reason]}.`;
  return { status, url: null, reason, message: said === null ? why : `${why} The forge said: ${said}` };
}
