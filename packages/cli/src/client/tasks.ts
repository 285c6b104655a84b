import type { Query } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { money, print, safeLine, table, toJson } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';
import { writeDelivery } from './delivery.ts';
import { statusText, taskText } from './task-text.ts';

interface Filters {
  search?: string;
  agent?: string;
  type?: Query<'tasks.list'>['taskType'];
  from?: string;
  before?: string;
}
const sameNames = ['role', 'status', 'failure', 'project', 'tag', 'feedback', 'sort'] as const;
type Given = Filters & Pick<Query<'tasks.list'>, (typeof sameNames)[number]>;

/** Options of the command as the API names them; what is not given stays out. */
function filtersOf(given: Given): Query<'tasks.list'> {
  const { search: q, agent: agentId, type: taskType, from: createdFrom, before: createdBefore } = given;
  const named = { q, agentId, taskType, createdFrom, createdBefore };
  const all = { ...named, ...Object.fromEntries(sameNames.map((name) => [name, given[name]])) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const listTasksCommand = (options: PageOptions & Given): Promise<void> =>
  withServer(options, async (agora) => {
    const query = filtersOf(options);
    await printPages(
      options,
      (page) => agora.tasks.list({ ...query, ...page }),
      (tasks) => {
        const isEarned = tasks.some(({ earned }) => earned !== null);
        const rows = tasks.map(({ id, title, status, failure, price, maxBudget, createdAt, agentName, earned }) => [
          id,
          safeLine(title, 40),
          failure === null ? statusText(status) : `${statusText(status)}: ${failure.replaceAll('_', ' ')}`,
          money(price ?? maxBudget),
          createdAt.slice(0, 16).replace('T', ' '),
          safeLine(agentName ?? '', 24),
          ...(isEarned ? [earned === null ? '' : money(earned)] : []),
        ]);
        const heads = ['task', 'title', 'status', 'price', 'submitted (UTC)', 'agent'];
        return table(isEarned ? [...heads, 'earned'] : heads, rows);
      },
    );
  });

/** Prints the whole filtered list as a file has it. */
export const exportTasksCommand = (options: ServerOptions & Given & { format: 'csv' | 'ndjson' }): Promise<void> =>
  withServer(options, async (agora) => {
    const query = { ...filtersOf(options), format: options.format };
    for await (const piece of agora.tasks.export(query)) process.stdout.write(piece);
  });

export const totalsCommand = (options: ServerOptions & Given & { by: Query<'tasks.totals'>['by'] }): Promise<void> =>
  withServer(options, async (agora) => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const totals = await agora.tasks.totals({ ...filtersOf(options), by: options.by, timeZone });
    print(options, totals, () => {
      const isEarned = totals.total.earned !== null;
      const line = (name: string, { tasks, charged, held, earned }: typeof totals.total) => [
        name,
        String(tasks),
        money(charged),
        money(held),
        ...(isEarned ? [money(earned ?? 0)] : []),
      ];
      const groups = totals.groups.map((group) => line(safeLine(group.name ?? group.key ?? '–', 40), group));
      const heads = [options.by ?? 'day', 'tasks', 'cost', 'held', ...(isEarned ? ['earned'] : [])];
      return table(heads, [...groups, line('all', totals.total)]);
    });
  });

/** Prints a task, and writes what was delivered if that is asked for. */
export const getTaskCommand = (taskId: string, options: ServerOptions & { output?: string }): Promise<void> =>
  withServer(options, async (agora) => {
    const task = await agora.tasks.get(taskId);
    const { output } = options;
    if (output === undefined) {
      print(options, task, () => taskText(task));
      return;
    }
    const written = await writeDelivery(agora, task, output);
    print(options, { ...task, written }, () => {
      const lines = written.map(({ path, sizeBytes, dropped }) =>
        dropped === null ? `${path}  ${sizeBytes} bytes` : `${safeLine(path, 200)}  not kept by the server: ${dropped}`,
      );
      return [`${task.id} is ${task.status}. Written to ${output}:`, ...lines].join('\n');
    });
  });

export const acceptTaskCommand = (taskId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const task = await agora.tasks.accept(taskId);
    print(options, task, `You have paid ${money(task.accepted?.price ?? 0)} for ${task.id}; its output is yours.`);
  });

export const cancelTaskCommand = (taskId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const task = await agora.tasks.cancel(taskId);
    print(options, task, `${task.id} is cancelled; its budget is released.`);
  });

export const feedbackCommand = (
  taskId: string,
  direction: 'up' | 'down',
  options: ServerOptions & { comment?: string },
): Promise<void> =>
  withServer(options, async (agora) => {
    const { comment } = options;
    const given = await agora.tasks.feedback(taskId, { direction, ...(comment && { comment }) });
    const refund = given.refunded ? ` ${money(given.task.price)} are back in your pool.` : '';
    print(options, given, `Thumbs ${direction} for ${taskId}.${refund}`);
  });

export const disputeCommand = (
  taskId: string,
  options: ServerOptions & { reason: string; evidence?: string[]; proof?: string[] },
): Promise<void> => {
  const evidence = (options.evidence ?? []).map((given) => labelled('--evidence', given));
  const checks = (options.proof ?? [])
    .map((given) => labelled('--proof', given))
    .map(({ label, text }) => ({ name: label, command: text }));
  const proof = checks.length > 0 && { proof: { checks } };
  return withServer(options, async (agora) => {
    const opened = await agora.tasks.dispute(taskId, { reason: options.reason, evidence, ...proof });
    print(options, opened, `${opened.id} is open. The agent must answer by ${opened.respondBy}, or you win.`);
  });
};

function labelled(option: string, given: string): { label: string; text: string } {
  const at = given.indexOf('=');
  if (at < 1 || at === given.length - 1) throw new UsageError(`${option} takes a label and a text: ${option} "log=…"`);
  return { label: given.slice(0, at), text: given.slice(at + 1) };
}

/** A receipt is JSON in any case: `agora tasks receipt ID > receipt.json`. */
export const receiptCommand = (taskId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => console.log(toJson(await agora.tasks.receipt(taskId))));
