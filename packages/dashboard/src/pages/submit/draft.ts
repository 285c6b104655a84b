import { maxAttempts, maxInlineBytes, type Reveal, type TaskType } from '@agora-market/contract';
import type { Body, Task } from '@agora-market/sdk';
import type { useKept } from '../../ui/form.ts';
import { amountText, centsOf } from '../../ui/format.ts';
import { type DraftEnvironment, draftEnvironment, environmentOf, environmentProblems } from './draft-environment.ts';
import { type DraftFile, draftFiles, fileMap } from './files.ts';

export interface DraftCheck {
  name: string;
  command: string;
  weight: string;
}

/** The form as it is typed. It is kept in the tab until the task is submitted. */
export interface Draft {
  taskType: TaskType;
  description: string;
  code: string;
  files: DraftFile[];
  repoUrl: string;
  repoRef: string;
  pullRequest: boolean;
  environment: DraftEnvironment;
  checks: DraftCheck[];
  heldOut: DraftFile[];
  /** Tests that must pass, as `acceptance.tests` names them. */
  mustPass: string[];
  rubric: string;
  schema: string;
  reveal: Reveal | '';
  budget: string;
  /** Minutes; '' is the platform's own. */
  deadline: string;
  how: 'smart' | 'direct' | 'several';
  agentId: string;
  attempts: string;
  /** Minutes. */
  wait: string;
  /** Of a template or an earlier task, what the form does not show. */
  hidden: Hidden;
}

interface Hidden {
  input?: Partial<Input>;
  acceptance?: Partial<Acceptance>;
  tests?: Partial<NonNullable<Acceptance['tests']>>;
  /** How the pull request is to be opened. */
  pullRequest?: NonNullable<NonNullable<Input['repo']>['pullRequest']>;
}

export const emptyDraft: Draft = {
  taskType: 'general',
  description: '',
  code: '',
  files: [],
  repoUrl: '',
  repoRef: '',
  pullRequest: false,
  environment: draftEnvironment(),
  checks: [],
  heldOut: [],
  mustPass: [],
  rubric: '',
  schema: '',
  reveal: '',
  budget: '',
  deadline: '',
  how: 'smart',
  agentId: '',
  attempts: '2',
  wait: '0',
  hidden: {},
};

type Submission = Body<'tasks.submit'>;
export type Input = Submission['input'];
type Acceptance = NonNullable<Input['acceptance']>;

/** The task's input as it is sent; what is empty is left out. A schema that is no JSON is left out too. */
export function inputOf(draft: Draft): Input {
  const { description, code, files, repoUrl, repoRef, pullRequest, hidden } = draft;
  const environment = environmentOf(draft.environment);
  const acceptance = acceptanceOf(draft);
  return {
    ...hidden.input,
    ...(description.trim() && { description: description.trim() }),
    ...(code.trim() && { code }),
    ...(files.length > 0 && { files: fileMap(files) }),
    ...(repoUrl.trim() && {
      repo: {
        url: repoUrl.trim(),
        ...(repoRef.trim() && { ref: repoRef.trim() }),
        ...(pullRequest && { pullRequest: hidden.pullRequest ?? true }),
      },
    }),
    ...(environment && { environment }),
    ...(Object.keys(acceptance).length > 0 && { acceptance }),
  };
}

function acceptanceOf({ checks, heldOut, mustPass, rubric, schema, reveal, hidden }: Draft): Acceptance {
  const given = checks.filter(({ name, command }) => name.trim() || command.trim());
  const parsed = schemaOf(schema);
  const tests = { ...hidden.tests, ...(mustPass.length > 0 && { mustPass }) };
  return {
    ...hidden.acceptance,
    ...(given.length > 0 && {
      checks: given.map(({ name, command, weight }) => ({ name: name.trim(), command, weight: Number(weight) })),
    }),
    ...(heldOut.length > 0 && { files: fileMap(heldOut) }),
    ...(Object.keys(tests).length > 0 && { tests }),
    ...(rubric.trim() && { rubric: rubric.trim() }),
    ...(parsed && { schema: parsed }),
    ...(reveal && given.length > 0 && { reveal }),
  };
}

/** The JSON object in a text; null for an empty text, undefined where it is none. */
function schemaOf(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

/** Bytes of the input as the server counts them. */
export const bytesOf = (input: Input): number => encoder.encode(JSON.stringify(input)).length;

/** How many agents are to do the task. */
export const attemptsOf = ({ how, attempts }: Draft): number => (how === 'several' ? Number(attempts) : 1);

/** What a press of the button would hold, in cents; null without a budget. */
export function heldFor(draft: Draft): number | null {
  const budget = centsOf(draft.budget);
  return budget === null ? null : budget * attemptsOf(draft);
}

/** How the agent is found, as submit and quote say it. */
export const routingOf = ({ how, agentId, attempts, wait, deadline }: Draft) => ({
  ...(how === 'direct' && agentId && { agentId }),
  ...(how === 'several' && { attempts: Number(attempts) }),
  ...(how === 'smart' && wait !== '0' && { waitMinutes: Number(wait) }),
  ...(deadline && { deadlineMinutes: Number(deadline) }),
});

export const submissionOf = (draft: Draft): Submission => ({
  taskType: draft.taskType,
  maxBudget: centsOf(draft.budget) ?? 0,
  input: inputOf(draft),
  ...routingOf(draft),
});

/** What is wrong before anything is sent, by the path of the field in the request. */
export function problemsOf(draft: Draft): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!draft.description.trim()) problems['input.description'] = 'Say what is to be done.';
  const budget = centsOf(draft.budget);
  if (draft.budget.trim() === '') problems.maxBudget = 'Name the most that you would pay.';
  else if (budget === null) problems.maxBudget = 'Write an amount like 12.50.';
  else if (budget === 0) problems.maxBudget = 'It must be at least $0.01.';
  if (draft.how === 'direct' && !draft.agentId) problems.agentId = 'Choose the agent to hire.';
  if (schemaOf(draft.schema) === undefined) problems['input.acceptance.schema'] = 'This is no JSON object.';
  Object.assign(problems, environmentProblems(draft.environment));
  for (const part of ['files', 'heldOut'] as const) Object.assign(problems, pathProblems(part, draft[part]));
  draft.checks.forEach(({ name, command, weight }, at) => {
    const path = `input.acceptance.checks.${at}`;
    if (!name.trim() && command.trim()) problems[`${path}.name`] = 'Give the check a name.';
    if (name.trim() && !command.trim()) problems[`${path}.command`] = 'Write the command that decides.';
    if (!(Number(weight) > 0 && Number(weight) <= 100)) problems[`${path}.weight`] = 'More than 0, at most 100.';
  });
  if (bytesOf(inputOf(draft)) > maxInlineBytes) problems.input = 'Text and files together are too large.';
  return problems;
}

/** A task takes files by path, so that of two with the same only one would be sent. */
function pathProblems(part: string, files: readonly DraftFile[]): Record<string, string> {
  const problems: Record<string, string> = {};
  const taken = new Set<string>();
  files.forEach(({ path }, at) => {
    if (!path.trim()) problems[`${part}.${at}`] = 'Give the file a path.';
    else if (taken.has(path)) problems[`${part}.${at}`] = 'Another file has this path.';
    taken.add(path);
  });
  return problems;
}

/** The form as an earlier task would have been typed. What was erased since is left out, as are too many attempts. */
export function draftOf(
  { taskType, input, maxBudget, group }: Pick<Task, 'taskType' | 'input' | 'maxBudget' | 'group'>,
  mostAttempts: number = maxAttempts,
): Partial<Draft> {
  const { description, code, files, repo, environment, acceptance } = input as Partial<Input>;
  return {
    taskType,
    description: description ?? '',
    code: code ?? '',
    files: draftFiles(files),
    repoUrl: repo?.url ?? '',
    repoRef: repo?.ref ?? '',
    pullRequest: Boolean(repo?.pullRequest),
    environment: draftEnvironment(environment),
    checks: (acceptance?.checks ?? []).map(({ name, command, weight = 1 }) => ({ name, command, weight: `${weight}` })),
    heldOut: draftFiles(acceptance?.files),
    mustPass: acceptance?.tests?.mustPass ?? [],
    rubric: acceptance?.rubric ?? '',
    schema: acceptance?.schema ? JSON.stringify(acceptance.schema, null, 2) : '',
    reveal: acceptance?.reveal ?? '',
    budget: amountText(maxBudget),
    hidden: hiddenOf(input),
    ...(group && { how: 'several' as const, attempts: `${Math.min(group.attempts, mostAttempts)}` }),
  };
}

function hiddenOf(given: Partial<Input>): Hidden {
  const { description, code, files, repo, environment, acceptance = {}, ...input } = given;
  const { checks, files: heldOut, tests = {}, rubric, schema, reveal, ...others } = acceptance;
  const { mustPass, ...ofTests } = tests;
  const asked = repo?.pullRequest;
  return { input, acceptance: others, tests: ofTests, ...(typeof asked === 'object' && { pullRequest: asked }) };
}

type Choices = readonly (readonly [value: string, text: string])[];

/** The usual choices of minutes, and the one that is set, where it is none of them. */
export const withOwn = (usual: Choices, value: string): Choices =>
  usual.some(([each]) => each === value) ? usual : [...usual, [value, `${value} minutes`]];

/** The form as the task of a template would have been typed. */
export function draftOfTemplate(task: Submission, mostAttempts: number = maxAttempts): Partial<Draft> {
  const { taskType, input, maxBudget, agentId, attempts = 1, waitMinutes = 0, deadlineMinutes } = task;
  return {
    ...draftOf({ taskType, input, maxBudget, group: null }),
    how: agentId ? 'direct' : attempts > 1 ? 'several' : 'smart',
    agentId: agentId ?? '',
    attempts: `${Math.max(2, Math.min(attempts, mostAttempts))}`,
    wait: `${waitMinutes}`,
    deadline: deadlineMinutes === undefined ? '' : `${deadlineMinutes}`,
  };
}

export type ChangeDraft = ReturnType<typeof useKept<Draft>>[1];

/** What the parts of the form get. */
export interface PartProps {
  draft: Draft;
  change: ChangeDraft;
  /** By the path of the field in the request. */
  errors: Record<string, string>;
}
