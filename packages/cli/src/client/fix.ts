import { refusalsOfOneAgent } from '@agora-market/contract';
import { type Agora, AgoraError, type Reply, type Task } from '@agora-market/sdk';
import { ask } from '../ask.ts';
import { connectionOf, withServer } from '../connection.ts';
import { exitCodes, SignedOutError, UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { facts, money, print, safe, safeLine } from '../print.ts';
import { applyChanges, changesText } from './apply.ts';
import { sourceOf } from './clone.ts';
import { problemOf } from './issue.ts';
import { type Project, projectIn } from './project-file.ts';
import { taskText } from './task-text.ts';
import { watchToEnd } from './watch.ts';
import { type Work, workOf } from './work.ts';
import { isDirty, type Tree, workingTree } from './working-tree.ts';

export interface FixOptions extends ServerOptions {
  budget?: number;
  agent?: string;
  checks?: string;
  tool?: string[];
  setup?: string;
  yes?: boolean;
  apply?: boolean;
}

/** Has the clone around the current directory repaired, and brings the change back into it. */
export async function fixCommand(issue: string, options: FixOptions): Promise<void> {
  const tree = workingTree(', the clone to repair');
  const { url, token } = connectionOf(options);
  if (!token)
    throw new SignedOutError(`There is no owner signed in to ${url}. Run \`agora login\`, or set AGORA_TOKEN.`);
  const problem = await problemOf(issue);
  const wasDirty = isDirty(tree);
  const project = await projectIn(tree);
  if (project !== null) refuseUnasked(project, options);
  const source = await sourceOf(tree);
  const { agent, checks, tool, setup } = options;
  const asked = {
    ...{ ...(agent && { agent }), ...(checks && { checks }), ...(tool && { tool }), ...(setup && { setup }) },
    ...('repo' in source && { repo: source.repo.url, ref: source.repo.ref }),
  };
  const given = await workOf('bug_fix', problem.description, asked);
  const described = { ...given, input: withProject(given.input, project) };
  await withServer(options, async (agora) => {
    const agents = project?.agents ?? [];
    const { work, quote } = await quoteFrom(agora, described, agents);
    const { budget, first } = offerOf(quote, options.budget ?? project?.budget ?? undefined);
    const offer = facts({
      repairs: safeLine(problem.title, 200),
      sends: source.says,
      agent: `${safeLine(first.displayName, 60)} (${first.agentId})${work.agentId ? '' : ', or another that is better then'}`,
      price: first.price === null ? 'what you offer' : money(first.price),
      'at most': money(budget),
      ...(project && { '.agora.yml': `says ${counting(project, options).join(', ')}` }),
      ...(project?.heldOut && {
        'held out': `no tests of ${project.heldOut}: only issues at the forge use them`,
      }),
      ...(options.apply && wasDirty && { applies: 'on top of the changes that the working tree has now' }),
    });
    console.error(offer);
    if (!options.yes && !isYes(await ask('Submit it? [y/N] ', 'Say --yes to submit without a question.'))) {
      throw new Error('Nothing was submitted.');
    }
    const input = 'bundle' in source ? await sent(agora, work.input, source.bundle, options) : work.input;
    const { id } = await agora.tasks.submit({ ...work, input, maxBudget: budget });
    console.error(`Submitted ${id}.`);
    const task = await watchToEnd(agora, id, options);
    await finish(agora, task, tree, wasDirty, options);
  });
}

/** Nothing of a private clone leaves it before somebody has said yes. */
async function sent(agora: Agora, input: Work['input'], bundle: Buffer, options: FixOptions): Promise<Work['input']> {
  const { url, inputWarnings } = await agora.tasks.sendBundle(bundle);
  for (const warning of inputWarnings) console.error(safeLine(warning, 300));
  if (inputWarnings.length > 0 && !options.yes && !isYes(await ask('Submit it without these? [y/N] ', 'Say --yes.'))) {
    throw new Error('Nothing was submitted.');
  }
  return { ...input, repo: { url } };
}

/** A stranger may have written the file of a clone: it chooses who is paid, and how much, only for somebody who looks. */
function refuseUnasked({ agents, budget }: Project, options: FixOptions): void {
  const isChoosing = (agents.length > 0 && options.agent === undefined) || budget !== null;
  if (!options.yes || !isChoosing || options.budget !== undefined) return;
  throw new UsageError(
    '.agora.yml names agents or a budget. With --yes, say --budget too: the most that you pay, in cents.',
  );
}

/** What the file says and the command line does not. */
const counting = ({ says }: Project, { agent, budget, checks }: FixOptions): string[] => {
  const replaced: Record<string, unknown> = { agents: agent, budget, checks };
  return says.filter((field) => replaced[field] === undefined);
};

/** What the command line says counts before what the repository says. */
const withProject = (input: Work['input'], project: Project | null): Work['input'] => ({
  ...input,
  ...(project?.input.environment && { environment: { ...project.input.environment, ...input.environment } }),
  ...(project?.input.acceptance && { acceptance: { ...project.input.acceptance, ...input.acceptance } }),
});

type Quote = Reply<'tasks.quote'>;

/** The offer of the first of these agents that can be hired; of any where the repository names none. */
async function quoteFrom(agora: Agora, work: Work, agents: readonly string[]): Promise<{ work: Work; quote: Quote }> {
  const [first, ...others] = work.agentId === undefined ? agents : [];
  if (first === undefined) return { work, quote: await agora.tasks.quote(work) };
  const hired = { ...work, agentId: first as NonNullable<Work['agentId']> };
  try {
    return { work: hired, quote: await agora.tasks.quote(hired) };
  } catch (error) {
    if (others.length > 0 && error instanceof AgoraError && refusalsOfOneAgent.includes(error.code)) {
      return quoteFrom(agora, work, others);
    }
    throw error;
  }
}

/** The most that the task may cost, and who is first to do it; throws where nobody would for that. */
function offerOf({ candidates, queue }: Quote, wanted: number | undefined) {
  const cheapest = candidates.reduce<number | null>(
    (least, { price }) => (price !== null && (least === null || price < least) ? price : least),
    null,
  );
  const first = candidates.find(({ price }) => wanted === undefined || price === null || price <= wanted);
  if (first === undefined && cheapest !== null) {
    const [low, enough] = [money(wanted as number), money(cheapest)];
    throw new UsageError(`No agent repairs it for ${low}. The cheapest takes ${enough}: --budget ${cheapest}`);
  }
  if (first === undefined) {
    throw new Error(
      queue
        ? `All ${queue.matching} agents that repair code are busy. Try again later.`
        : 'There is no agent that repairs code. `agora agents search --category bug_fix` lists them.',
    );
  }
  const budget = wanted ?? first.price;
  if (budget === null) throw new UsageError('The agent takes what you offer: name it with --budget, in whole cents.');
  return { budget, first };
}

const isYes = (answer: string): boolean => /^\s*y(?:es)?\s*$/i.test(answer);

async function finish(agora: Agora, task: Task, tree: Tree, wasDirty: boolean, options: FixOptions): Promise<void> {
  if (task.status !== 'completed') {
    print(options, { ...task, applied: false }, () => taskText(task));
    process.exitCode = exitCodes.failed;
    return;
  }
  if (!options.json) console.log(taskText(task));
  const later = `Apply the change with \`agora tasks apply ${task.id}\`.`;
  const wanted = options.apply ? { overChanges: wasDirty } : await askToApply(tree, options);
  if (wanted === null) {
    print(options, { ...task, applied: false }, later);
    return;
  }
  const changes = await applyChanges(agora, task, tree, wanted).catch((error: Error) => {
    throw new Error(`The task is completed, and its change is not applied. ${safe(error.message)} ${later}`);
  });
  print(options, { ...task, applied: true }, () => changesText(changes));
}

/** Whether to apply the change; who is told of changes in the tree may have it on top. Null where nobody can be asked. */
async function askToApply(tree: Tree, { json }: FixOptions): Promise<{ overChanges: boolean } | null> {
  if (json || !process.stdin.isTTY) return null;
  const overChanges = isDirty(tree);
  const beware = overChanges ? 'The working tree has changes of its own, which Git then cannot tell from it. ' : '';
  return isYes(await ask(`${beware}Apply the change here? [y/N] `, 'Say --apply.')) ? { overChanges } : null;
}
