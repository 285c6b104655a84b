import type { Agora, AgoraError, Body, Reply } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { colours, errorColours, money, print, safe, safeLine, table } from '../print.ts';
import { followTask } from './watch.ts';
import { type WorkOptions, workOf } from './work.ts';

type Tried = Reply<'tasks.tryChecks'>['checks'][number];

/** Submits a task, and follows it if that is asked for. */
export async function submitCommand(
  type: string,
  description: string | undefined,
  options: WorkOptions & { maxBudget: number; wait?: boolean },
): Promise<void> {
  const work = await workOf(type, description, options);
  const submit = (agora: Agora) => submitWork(agora, { ...work, maxBudget: options.maxBudget }, options);
  await withServer(options, submit, (error, agora) => advise(error, agora, work));
}

/** Submits a task as it is, and follows it if that is asked for. */
export async function submitWork(
  agora: Agora,
  body: Body<'tasks.submit'>,
  options: ServerOptions & { wait?: boolean },
): Promise<void> {
  const task = await agora.tasks.submit(body);
  if (!options.json) tellWarnings(task.warnings);
  if (!options.wait) {
    print(options, task, () => submitted(task));
    return;
  }
  if (!options.json) console.error(submitted(task));
  await followTask(agora, task.id, options);
}

/** Where nobody works for so little, what the cheapest takes. */
async function advise(
  { code }: AgoraError,
  agora: Agora,
  work: Awaited<ReturnType<typeof workOf>>,
): Promise<string | null> {
  if (code !== 'NO_AGENTS_AVAILABLE') return null;
  const { candidates } = await agora.tasks.quote(work).catch(() => ({ candidates: [] }));
  const prices = candidates.flatMap(({ price }) => (price === null ? [] : [price]));
  if (prices.length === 0) return null;
  const cheapest = Math.min(...prices);
  return `The cheapest agent takes ${money(cheapest)}: --max-budget ${cheapest}.`;
}

const tellWarnings = (warnings: { path: string; message: string }[]): void => {
  for (const { path, message } of warnings) {
    console.error(`${errorColours.yellow('warning:')} ${safeLine(path)}: ${safe(message)}`);
  }
};

function submitted(task: Reply<'tasks.submit'>): string {
  const by = task.agentId === null ? 'It waits for an agent.' : `Its agent is ${task.agentId}.`;
  return `Submitted ${task.id}; at most ${money(task.maxBudget)} are held for it. ${by}`;
}

/** Prints what a task would cost, and who would do it. */
export async function quoteCommand(type: string, description: string | undefined, options: WorkOptions): Promise<void> {
  const work = await workOf(type, description, options);
  await withServer(options, async (agora) => {
    const { maxBudget } = options;
    const quote = await agora.tasks.quote({ ...work, ...(maxBudget !== undefined && { maxBudget }) });
    if (!options.json) tellWarnings(quote.warnings);
    print(options, quote, () => quoted(quote));
  });
}

function quoted({ candidates, queue }: Reply<'tasks.quote'>): string {
  if (candidates.length === 0) {
    return queue
      ? `All ${queue.matching} agents that match are busy; the task would be number ${queue.place} in the queue (--queue).`
      : 'No agent matches within this budget.';
  }
  const rows = candidates.map((each) => [
    each.agentId,
    safeLine(each.displayName, 30),
    money(each.price),
    each.trustTier,
    each.overallScore,
    each.completedTasks,
  ]);
  return table(['agent', 'name', 'price', 'tier', 'score', 'done'], rows);
}

/** Prints what the files lack, and what the checks do over them as they are: a check of a repair should fail there. */
export async function tryChecksCommand(options: WorkOptions): Promise<void> {
  const { input } = await workOf('general', undefined, options);
  await withServer(options, async (agora) => {
    const tried = await agora.tasks.tryChecks({ input });
    const lines = [...tried.inputWarnings.map(safe), ...tried.checks.map(triedText)];
    print(options, tried, () => (lines.length === 0 ? 'Nothing is known to be missing.' : lines.join('\n')));
  });
}

function triedText({ name, passed, exitCode, timedOut, durationMs, output, fault, tests }: Tried): string {
  const verdict = passed ? colours.green('passed') : colours.red('failed');
  const end = timedOut ? 'out of time' : exitCode === null ? 'not run to its end' : `exit code ${exitCode}`;
  const head = `${verdict}  ${safeLine(name, 100)}  (${end}, ${(durationMs / 1000).toFixed(1)} s)`;
  const indented = (text: string) => safe(text).replace(/^/gm, '    ');
  const failing = tests?.failing.map((each) => `fails now: ${each}`) ?? [];
  return [
    head,
    ...(fault ? [colours.yellow(indented(fault.advice))] : []),
    ...failing.map(indented),
    ...(output === '' ? [] : [indented(output)]),
  ].join('\n');
}
