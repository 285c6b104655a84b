import type { Agora, Reply } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { money, print, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';
import { submitWork } from './submit.ts';
import { type WorkOptions, workOf } from './work.ts';

type Template = Reply<'templates.get'>;

const saved = ({ id, name }: Template): string =>
  `Saved ${id}, “${safeLine(name, 60)}”. Submit it: agora templates submit ${id}`;

const text = ({ id, name, title, taskType, maxBudget, updatedAt, task }: Template): string =>
  [
    `${id}  ${safeLine(name, 60)}`,
    `title    ${safeLine(title, 200)}`,
    `type     ${taskType}`,
    `budget   ${money(maxBudget)}`,
    `changed  ${updatedAt.slice(0, 16).replace('T', ' ')} UTC`,
    ...(task.input.description ? [`does     ${safeLine(task.input.description, 400)}`] : []),
  ].join('\n');

export async function createTemplateCommand(
  type: string,
  description: string | undefined,
  options: WorkOptions & { maxBudget: number; name: string },
): Promise<void> {
  const work = await workOf(type, description, options);
  await withServer(options, async (agora) => {
    const task = { ...work, maxBudget: options.maxBudget };
    const template = await agora.templates.create({ name: options.name, task });
    print(options, template, () => saved(template));
  });
}

/** What a task says of itself; routing and times are those of a new submission. */
export const createFromCommand = (taskId: string, options: ServerOptions & { name: string }): Promise<void> =>
  withServer(options, async (agora) => {
    const { taskType, maxBudget, input, group } = await agora.tasks.get(taskId);
    const task = { taskType, maxBudget, input, ...(group && { attempts: group.attempts }) };
    const template = await agora.templates.create({ name: options.name, task });
    print(options, template, () => saved(template));
  });

export const submitTemplateCommand = (
  templateId: string,
  options: ServerOptions & { maxBudget?: number; wait?: boolean },
): Promise<void> =>
  withServer(options, async (agora: Agora) => {
    const { task } = await agora.templates.get(templateId);
    await submitWork(agora, { ...task, maxBudget: options.maxBudget ?? task.maxBudget }, options);
  });

export const listTemplatesCommand = (options: PageOptions): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      (page) => agora.templates.list(page),
      (templates) => {
        const rows = templates.map(({ id, name, taskType, maxBudget, title }) => [
          ...[id, safeLine(name, 30), taskType, money(maxBudget), safeLine(title, 40)],
        ]);
        return table(['template', 'name', 'type', 'budget', 'title'], rows);
      },
    ),
  );

export const getTemplateCommand = (templateId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const template = await agora.templates.get(templateId);
    print(options, template, () => text(template));
  });

export async function updateTemplateCommand(
  templateId: string,
  options: ServerOptions & { name?: string; maxBudget?: number },
): Promise<void> {
  const { name, maxBudget } = options;
  if (name === undefined && maxBudget === undefined)
    throw new UsageError('Say what to change: --name or --max-budget.');
  await withServer(options, async (agora) => {
    const task = maxBudget !== undefined && { task: { ...(await agora.templates.get(templateId)).task, maxBudget } };
    const template = await agora.templates.update(templateId, { ...(name !== undefined && { name }), ...task });
    print(options, template, () => text(template));
  });
}

export const deleteTemplateCommand = (templateId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    await agora.templates.delete(templateId);
    print(options, { deleted: templateId }, `${templateId} is deleted.`);
  });
