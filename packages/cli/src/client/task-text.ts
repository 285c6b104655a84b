import { failureText } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import { colours, facts, money, safe, safeLine, toJson } from '../print.ts';

/** A task for people: its facts, then what came. */
export function taskText(task: Task): string {
  const description = typeof task.input.description === 'string' ? task.input.description : '';
  const { waiting, pullRequest, feedback, group } = task;
  const told = facts({
    task: task.id,
    type: task.taskType,
    status: statusText(task.status),
    description: safeLine(description, 200),
    agent: task.agentId,
    'max budget': money(task.maxBudget),
    price: task.price === null ? null : money(task.price),
    charged: task.creditsCharged === null ? null : money(task.creditsCharged),
    quality: task.qualityScore === null ? null : `${task.qualityScore} of 100`,
    submitted: task.createdAt,
    finished: task.finishedAt,
    queue: waiting && `number ${waiting.place}, until ${waiting.until}`,
    attempts: group && `${group.attempt} of ${group.attempts} (${group.groupId})`,
    feedback: feedback && `${feedback.direction}${feedback.comment === null ? '' : `: ${safeLine(feedback.comment)}`}`,
    'pull request': pullRequest && safeLine(pullRequest.url ?? pullRequest.message ?? pullRequest.status, 300),
    error: task.status === 'failed' ? safe(failureText(task)) : null,
  });
  return task.output === null ? told : `${told}\n\n${outputText(task.output)}`;
}

/** A result that is text is printed as text; anything else as JSON. */
function outputText(output: Record<string, unknown>): string {
  const { result, ...rest } = output;
  if (typeof result !== 'string') return toJson(output);
  return Object.keys(rest).length === 0 ? safe(result) : `${safe(result)}\n\n${toJson(rest)}`;
}

/** Green where it is well, red where it is not. */
export function statusText(status: Task['status']): string {
  if (status === 'completed') return colours.green(status);
  return status === 'failed' || status === 'refunded' ? colours.red(status) : status;
}
