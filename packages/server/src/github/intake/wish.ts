import { briefOf, fenced, type Issue, operations, plainText, toId } from '@agora/contract';
import type { z } from 'zod';
import { commandOf } from './command.ts';
import type { GitHubIssues } from './issues-at-github.ts';
import { type ProjectFile, projectFileOf } from './project-file.ts';
import { wantedLabel } from './receive.ts';
import type { IntakeRow, RequestRow } from './sql.ts';
import { money } from './text.ts';

type Submission = z.output<(typeof operations)['tasks.submit']['body']>;

/** What is to become of a request. */
export type Wish =
  /** Nobody is told: a stranger asked, or what was asked for is gone. */
  | { kind: 'ignored' }
  | { kind: 'refused'; told: string }
  /** A task, by the first of the agents that can be hired; null for whom the platform chooses. */
  | { kind: 'task'; body: Submission; agents: string[] | null };

const ignored: Wish = { kind: 'ignored' };
const refused = (told: string): Wish => ({ kind: 'refused', told });

/** How long a task may wait where all agents are busy, in minutes. */
const waitMinutes = 60;

/** Asks GitHub what was asked for, and by whom: a webhook only says where to look. */
export async function wishOf(at: GitHubIssues, request: RequestRow, intake: IntakeRow, url: string): Promise<Wish> {
  const comment = request.commentId === null ? null : await at.comment(request.commentId);
  if (comment === null && request.commentId !== null) return ignored;
  const command =
    comment === null ? { kind: 'fix' as const, budget: null, agentId: null } : commandOf(comment.body ?? '');
  if (command === null) return ignored;
  const issue = await at.issue(request.issue);
  if (issue === null || issue.state !== 'open') return ignored;
  if (comment === null && !issue.labels.some(({ name }) => name === wantedLabel)) return ignored;
  const sender = comment === null ? await at.labelledBy(request.issue, wantedLabel) : (comment.user?.login ?? null);
  // What GitHub says of a label may come after its webhook.
  if (sender === null && comment === null) throw new Error('GitHub does not say yet who put the label');
  if (sender === null || !(await at.mayWrite(sender))) return ignored;
  if (command.kind === 'fault') return refused(command.says);
  const branch = await at.defaultBranch();
  const file = await settingsOf(at, branch);
  if (typeof file === 'string') return refused(file);
  const isPull = issue.pull_request !== undefined && issue.pull_request !== null;
  if (command.kind === 'rework')
    return isPull ? rework(at, request, intake, file, url, command.words) : refused(notAPull);
  if (isPull)
    return refused('`/agora` is for issues. On the pull request of a task, `/agora rework` and what is to change.');
  const limits = limitsOf(intake, file, command);
  if ('kind' in limits) return limits;
  const told: Issue = {
    url: issue.html_url,
    title: issue.title,
    body: issue.body ?? '',
    comments: await saidAt(at, request),
  };
  const repo = { url, ref: branch, pullRequest: { base: branch, title: `Fix #${request.issue}` } };
  return taskOf(briefOf(told), repo, file, limits);
}

const notAPull = '`/agora rework` is for the pull request of a task.';

/** A follow-up on the branch of a pull request that a task has opened in this repository, and in no fork of it. */
async function rework(
  at: GitHubIssues,
  request: RequestRow,
  intake: IntakeRow,
  file: ProjectFile,
  url: string,
  words: string,
): Promise<Wish> {
  const pull = await at.pull(request.issue);
  if (pull === null || pull.state !== 'open') return ignored;
  const { ref, repo } = pull.head;
  const isOurs = repo?.full_name.toLowerCase() === intake.repository.toLowerCase() && /^agora\/tsk_\w+$/.test(ref);
  if (!isOurs) return refused(notAPull);
  const limits = limitsOf(intake, file, { budget: null, agentId: null });
  if ('kind' in limits) return limits;
  const brief = [
    'Rework the last commit of this repository, as its reviewer asks in the block.',
    '',
    fenced(plainText(words, 20_000)),
  ].join('\n');
  return taskOf(brief, { url, ref, pullRequest: { base: ref, title: `Rework #${request.issue}` } }, file, limits);
}

interface Limits {
  budget: number;
  agents: string[] | null;
}

/** What a task may cost and who may do it, within what the intake allows. */
function limitsOf(
  intake: IntakeRow,
  file: ProjectFile,
  command: { budget: number | null; agentId: string | null },
): Limits | Wish {
  const budget = command.budget ?? file.budget ?? intake.maxBudget;
  if (budget > intake.maxBudget)
    return refused(`A task may cost at most ${money(intake.maxBudget)} here. ${money(budget)} were asked for.`);
  const wanted = command.agentId === null ? (file.agents ?? intake.agents) : [command.agentId];
  const agents = wanted?.filter((agent) => intake.agents?.includes(agent) ?? true) ?? null;
  if (agents?.length !== 0) return { budget, agents };
  const allowed = (intake.agents ?? []).map((agent) => `\`${toId('agent', agent)}\``).join(', ');
  return refused(`That agent may not be hired here. These may: ${allowed}.`);
}

function taskOf(description: string, repo: object, { checks }: ProjectFile, { budget, agents }: Limits): Wish {
  const read = operations['tasks.submit'].body.safeParse({
    taskType: 'bug_fix',
    maxBudget: budget,
    ...(agents === null && { waitMinutes }),
    input: { description, repo, ...(checks.length > 0 && { acceptance: { checks } }) },
  });
  if (read.success) return { kind: 'task', body: read.data, agents };
  const [fault] = read.error.issues;
  return refused(`No task can be made of it: ${fault?.path.join('.')} ${fault?.message}.`);
}

/** The file of the repository, or what to change in it. */
async function settingsOf(at: GitHubIssues, branch: string): Promise<ProjectFile | string> {
  const text = await at.file('.agora.yml', branch);
  if (text === null) return { checks: [], budget: null, agents: null };
  const found = projectFileOf(text);
  if (typeof found !== 'string') return found;
  return `Mend \`.agora.yml\` on the default branch, which\n\n${fenced(plainText(found, 500))}`;
}

/** What people said, without commands. */
const saidAt = async (at: GitHubIssues, { issue }: RequestRow): Promise<Issue['comments']> =>
  (await at.comments(issue, null))
    .map(({ user, body }) => ({ author: user?.login ?? 'somebody', body: body ?? '' }))
    .filter(({ body }) => commandOf(body) === null && !body.startsWith('<!-- agora '));
