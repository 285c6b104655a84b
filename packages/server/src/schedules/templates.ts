import { type Operations, ownedAtMost, type TaskSubmission, titleOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../events/index.ts';
import {
  type Call,
  decodeCursor,
  ensure,
  newUuid,
  type Pool,
  pageOf,
  type Queryable,
  type Tx,
} from '../platform/index.ts';
import { lockOwner } from '../registry/index.ts';
import { checkSavedInput, type TaskDeps } from '../tasks/index.ts';
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  keptBytes,
  listTemplates,
  lockTemplate,
  schedulesOfTemplate,
  storeTemplate,
  type TemplateRow,
  type WholeTemplate,
} from './sql.ts';

const listedView = ({ id, ownerId: _, ...template }: TemplateRow) => ({ ...template, id: toId('template', id) });
const view = ({ task, ...template }: WholeTemplate) => ({ ...listedView(template), task });

/** Refuses a task that is too much beside those that its owner keeps. Its owner is locked, so that two at once are not. */
export async function requireKeptRoom(tx: Tx, ownerId: string, id: string | null, task: object): Promise<void> {
  const limitBytes = ownedAtMost.keptTaskBytes;
  const bytes = Buffer.byteLength(JSON.stringify(task)) + (await keptBytes(tx, ownerId, id));
  ensure(bytes <= limitBytes, 'TEMPLATE_LIMIT_REACHED', 'Templates and schedules together take too much room.', {
    limitBytes,
  });
}

/** What lists show of a task, beside it. */
const summaryOf = (task: TaskSubmission) => ({
  title: titleOf(task),
  taskType: task.taskType,
  maxBudget: task.maxBudget,
});

/** The template of an owner; another's is as unknown as one that never was. */
export async function requireTemplate(
  find: typeof findTemplate,
  db: Queryable,
  ownerId: string,
  templateId: string,
): Promise<WholeTemplate> {
  const id = toUuid('template', templateId);
  const found = id === null ? null : await find(db, ownerId, id);
  ensure(found, 'TEMPLATE_NOT_FOUND');
  return found;
}

type Change = Pick<Call, 'tx' | 'now' | 'correlationId'>;

const record = ({ tx, now, correlationId }: Change, type: 'template.saved' | 'template.deleted', of: TemplateRow) =>
  appendEvent(tx, {
    ...{ type, district: 'schedules', at: now, correlationId, ownerId: of.ownerId },
    data: { templateId: toId('template', of.id), name: of.name },
  });

export async function createTemplate(deps: TaskDeps, call: Call<Operations['templates.create']>) {
  const { tx, caller, body, now } = call;
  checkSavedInput(body.task.input, deps.config);
  const { ownerId } = caller;
  // So that two at once do not pass the limit.
  await lockOwner(tx, ownerId);
  const limit = ownedAtMost.templates;
  ensure((await countTemplates(tx, ownerId)) < limit, 'TEMPLATE_LIMIT_REACHED', undefined, { limit });
  await requireKeptRoom(tx, ownerId, null, body.task);
  const at = now.toISOString();
  const template = { id: newUuid(deps.clock), ownerId, ...body, ...summaryOf(body.task), createdAt: at, updatedAt: at };
  await storeTemplate(tx, template);
  await record(call, 'template.saved', template);
  return view(template);
}

export async function listOwnTemplates(pool: Pool, { caller, query }: Call<Operations['templates.list']>) {
  const { pageSize, cursor } = query;
  const found = await listTemplates(pool, caller.ownerId, decodeCursor(cursor, z.guid()), pageSize + 1);
  return pageOf(found, pageSize, ({ id }) => id, listedView);
}

export const getTemplate = async (pool: Pool, { caller, params }: Call<Operations['templates.get']>) =>
  view(await requireTemplate(findTemplate, pool, caller.ownerId, params.templateId));

export async function updateTemplate(deps: TaskDeps, call: Call<Operations['templates.update']>) {
  const { tx, caller, params, body, now } = call;
  const { name, task } = body;
  if (task !== undefined) checkSavedInput(task.input, deps.config);
  await lockOwner(tx, caller.ownerId);
  const before = await requireTemplate(lockTemplate, tx, caller.ownerId, params.templateId);
  if (name === undefined && task === undefined) return view(before);
  if (task !== undefined) await requireKeptRoom(tx, caller.ownerId, before.id, task);
  const changes = { ...(name !== undefined && { name }), ...(task !== undefined && { task, ...summaryOf(task) }) };
  const after = { ...before, ...changes, updatedAt: now.toISOString() };
  await storeTemplate(tx, after);
  await record(call, 'template.saved', after);
  return view(after);
}

export async function removeTemplate(call: Call<Operations['templates.delete']>): Promise<void> {
  const { tx, caller, params } = call;
  const template = await requireTemplate(lockTemplate, tx, caller.ownerId, params.templateId);
  const users = await schedulesOfTemplate(tx, template.id);
  const scheduleIds = users.map(({ id }) => toId('schedule', id));
  ensure(users.length === 0, 'TEMPLATE_IN_USE', undefined, { scheduleIds });
  await deleteTemplate(tx, template.id);
  await record(call, 'template.deleted', template);
}
