import { apiPrefix, failureText, toId } from '@agora-market/contract';
import type { TaskRow } from '../../tasks/index.ts';
import { money, quoted } from '../pulls/text.ts';
import type { PullEndRow, RequestRow } from './sql.ts';

/** What comments say. Words of strangers stand in a code block, where they mention nobody. */

/** By which a comment is found again. */
export const markerOf = ({ id }: Pick<RequestRow, 'id'>, what: string): string => `<!-- agora ${id} ${what} -->`;

export const refusedText = ({ told }: RequestRow): string => `No task was made of this. ${told}`;

export function startedText(task: TaskRow, baseUrl: string): string {
  const price = task.agentId === null ? `at most ${money(task.maxBudget)}` : money(task.price);
  const who = task.agentId === null ? 'An agent will work on this' : 'An agent works on this';
  return `${who}: ${linkOf(task, baseUrl)}. A fix that passes costs ${price}, and none nothing.`;
}

const linkOf = ({ id }: TaskRow, baseUrl: string): string =>
  `[\`${toId('task', id)}\`](${baseUrl}/tasks/${toId('task', id)})`;

export function endedText(task: TaskRow, pull: PullEndRow | null, baseUrl: string): string {
  const receipt = `[signed receipt](${baseUrl}${apiPrefix}/tasks/${toId('task', task.id)}/receipt)`;
  if (task.status !== 'completed') {
    const why = quoted(failureText(task), 1_000);
    const head = `There is no fix: ${linkOf(task, baseUrl)} is ${task.status}. Nothing was charged. See the ${receipt}.`;
    return why === '' ? head : `${head}\n\n${why}`;
  }
  const passed = `${linkOf(task, baseUrl)} passed the quality gate with ${task.qualityScore} of 100 and cost ${money(task.creditsCharged ?? 0)}. See the ${receipt}.`;
  if (pull?.status === 'opened') return `The fix: ${pull.url}\n\n${passed}`;
  const said = quoted(pull?.said ?? '', 500);
  const head = `${passed} Its change is in the task: there is no pull request (${pull?.reason?.replaceAll('_', ' ')}).`;
  return said === '' ? head : `${head}\n\n${said}`;
}
