import { briefOf, fenced, type Issue, operations, plainText, toId } from '@agora-market/contract';
import type { z } from 'zod';
import { type IssueAt, type RepositoryAt, wantedLabel } from '../forge.ts';
import { money, quoted } from '../pulls/text.ts';
import { type Command, commandOf } from './command.ts';
import { heldOutFiles } from './held-out.ts';
import { inputOf, type ProjectFile, projectFileOf } from './project-file.ts';
import type { IntakeRow, RequestRow } from './sql.ts';

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

interface Surroundings {
  /** Of the repository. */
  url: string;
  isFirst(labelling: number): Promise<boolean>;
  /** Another repository, as the same account sees it. */
  repositoryAt(name: string): RepositoryAt;
}

/**
 * Asks the forge what was asked for, and by whom: a webhook only says where to look. `isFirst` says of a labelling whether
 * no other request has come of it.
 */
export async function wishOf(
  at: RepositoryAt,
  request: RequestRow,
  intake: IntakeRow,
  { url, isFirst, repositoryAt }: Surroundings,
): Promise<Wish> {
  const issue = await at.issue(request);
  if (issue?.isOpen !== true) return ignored;
  const { comment } = request;
  const asked = comment === null ? await labelled(at, request, issue, isFirst) : await commented(at, request, comment);
  if (asked === null) return ignored;
  const { command } = asked;
  if (command.kind === 'fault') return refused(command.says);
  const branch = await at.defaultBranch();
  const file = await settingsOf(at, branch);
  if (typeof file === 'string') return refused(mend(file));
  if (command.kind === 'rework')
    return issue.isPull
      ? rework(at, request, intake, { file, url, repositoryAt, words: wordsAt(asked.place, command.words) })
      : refused(notAPull);
  if (issue.isPull)
    return refused('`/agora` is for issues. On the pull request of a task, `/agora rework` and what is to change.');
  const limits = limitsOf(intake, file, command);
  if ('kind' in limits) return limits;
  const told: Issue = { url: issue.url, title: issue.title, body: issue.body, comments: await saidAt(at, request) };
  const repo = { url, ref: branch, pullRequest: { base: branch, title: `Fix #${request.number}` } };
  return taskOf(briefOf(told), repo, { file, intake, repositoryAt }, limits);
}

/** What somebody who may write asks for; null for anybody else. */
type Asked = { command: Command; place: string | null } | null;

async function commented(
  at: RepositoryAt,
  request: RequestRow,
  asked: NonNullable<RequestRow['comment']>,
): Promise<Asked> {
  const comment = await at.comment(request, asked);
  const command = comment && commandOf(comment.body);
  if (!command || comment.by === null || !(await at.mayWrite(comment.by))) return null;
  return { command, place: comment.place ?? null };
}

async function labelled(
  at: RepositoryAt,
  request: RequestRow,
  { labels }: IssueAt,
  isFirst: (labelling: number) => Promise<boolean>,
): Promise<Asked> {
  if (!labels.includes(wantedLabel)) return null;
  const labelling = await at.labelling(request, wantedLabel);
  // What a forge says of a label may come after its webhook.
  if (labelling === null) throw new Error('the forge does not say yet who put the label');
  if (!(await at.mayWrite(labelling.by)) || !(await isFirst(labelling.id))) return null;
  return { command: { kind: 'fix', budget: null, agentId: null }, place: null };
}

/** What a reviewer says of a line, with the line. */
const wordsAt = (place: string | null, words: string): string => (place === null ? words : `At ${place}:\n\n${words}`);

const notAPull = '`/agora rework` is for the pull request of a task.';

/** A follow-up on the branch of a pull request that a task has opened in this repository, and in no fork of it. */
async function rework(
  at: RepositoryAt,
  request: RequestRow,
  intake: IntakeRow,
  { url, words, ...settings }: Settings & { url: string; words: string },
): Promise<Wish> {
  const pull = await at.pull(request.number);
  if (pull?.isOpen !== true) return ignored;
  const ref = pull.branch;
  if (!pull.isOwn || !/^agora\/tsk_\w+$/.test(ref)) return refused(notAPull);
  const limits = limitsOf(intake, settings.file, { budget: null, agentId: null });
  if ('kind' in limits) return limits;
  const brief = [
    'Rework the last commit of this repository, as its reviewer asks in the block.',
    '',
    fenced(plainText(words, 20_000)),
  ].join('\n');
  return taskOf(
    brief,
    { url, ref, pullRequest: { base: ref, title: `Rework #${request.number}` } },
    { ...settings, intake },
    limits,
  );
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

type Settings = Pick<Surroundings, 'repositoryAt'> & { file: ProjectFile };

async function taskOf(
  description: string,
  repo: { url: string; ref: string; pullRequest: { base: string; title: string } },
  { file, intake, repositoryAt }: Settings & { intake: IntakeRow },
  { budget, agents }: Limits,
): Promise<Wish> {
  const heldOut = file.heldOut && (await heldOutFiles(repositoryAt, intake.repository, file.heldOut));
  if (typeof heldOut === 'string') return refused(mend(heldOut));
  const read = operations['tasks.submit'].body.safeParse({
    taskType: 'bug_fix',
    maxBudget: budget,
    ...(agents === null && { waitMinutes }),
    // Words of the issue stand in the description alone, in a block that says whose they are.
    input: {
      title: `${repo.pullRequest.title} of ${intake.repository}`.slice(0, 200),
      project: intake.repository.slice(0, 100),
      ...{ description, repo, ...inputOf(file, heldOut) },
    },
  });
  if (read.success) return { kind: 'task', body: read.data, agents };
  const [fault] = read.error.issues;
  return refused(`No task can be made of it:\n\n${quoted(`${fault?.path.join('.')} ${fault?.message}`, 500)}`);
}

/** The file of the repository, or what is wrong with it. */
async function settingsOf(at: RepositoryAt, branch: string): Promise<ProjectFile | string> {
  const text = await at.file('.agora.yml', branch);
  if (text === null) return { checks: [], tests: null, environment: null, budget: null, agents: null, heldOut: null };
  return projectFileOf(text.toString('utf8'));
}

const mend = (fault: string): string => `Mend \`.agora.yml\` on the default branch, which\n\n${quoted(fault, 500)}`;

/** What people said, without commands. */
const saidAt = async (at: RepositoryAt, request: RequestRow): Promise<Issue['comments']> =>
  (await at.comments(request, null))
    .map(({ by, body }) => ({ author: by?.name ?? 'somebody', body }))
    .filter(({ body }) => commandOf(body) === null && !body.startsWith('<!-- agora '));
