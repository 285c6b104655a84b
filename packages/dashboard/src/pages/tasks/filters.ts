import {
  feedbackFilters,
  statusGroups,
  type TaskOrder,
  taskFailures,
  taskOrders,
  taskStatuses,
  taskTypes,
} from '@agora-market/contract';
import type { Query } from '@agora-market/sdk';
import { amountText, centsOf } from '../../ui/format.ts';

/** The filters of the list, as they stand in the address of the page. */
export type TaskSearch = Partial<
  Record<
    | ('q' | 'status' | 'failure' | 'type' | 'agentId' | 'project' | 'tag' | 'feedback')
    | ('from' | 'to' | 'min' | 'max' | 'sort'),
    string
  >
>;

/** What rows are wanted; a filter that is not set is left out. */
export type RowsFilter = Omit<Query<'tasks.list'>, 'pageSize' | 'cursor' | 'include'>;

export const statuses = [...statusGroups, ...taskStatuses];

const oneOf = <V extends string>(values: readonly V[], text: string | undefined): V | undefined =>
  values.find((value) => value === text);

/** The start of a day of the reader's calendar, a number of days after one that is given as `2026-11-29`. */
function startOfDay(day: string | undefined, later = 0): string | undefined {
  const [, year, month, date] = day?.match(/^(20\d\d)-(\d\d)-(\d\d)$/) ?? [];
  if (date === undefined) return undefined;
  const at = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/**
 * The address as the API takes it. What is no filter, or no order of the list, as an old or mistyped link has it, is left
 * out, as is the order that lists have anyway.
 */
export function filterOf(search: TaskSearch, orders: readonly TaskOrder[] = taskOrders): RowsFilter {
  const q = search.q?.trim().slice(0, 200);
  const [least, most] = [search.min, search.max].map((text) => (text === undefined ? null : centsOf(text)));
  const [from, before] = [startOfDay(search.from), startOfDay(search.to, 1)];
  const all = {
    q: q && /[\p{L}\p{N}]/u.test(q) ? q : undefined,
    status: oneOf(statuses, search.status),
    failure: oneOf(taskFailures, search.failure),
    taskType: oneOf(taskTypes, search.type),
    agentId: /^agt_[0-9a-z]{26}$/.test(search.agentId ?? '') ? search.agentId : undefined,
    project: search.project?.trim().slice(0, 100) || undefined,
    tag: search.tag?.trim().slice(0, 50) || undefined,
    feedback: oneOf(feedbackFilters, search.feedback),
    createdFrom: from,
    // Days the wrong way round are said beside the fields, and nothing is asked for that is refused.
    createdBefore: from !== undefined && before !== undefined && before <= from ? undefined : before,
    minAmount: least ?? undefined,
    maxAmount: least != null && most != null && most < least ? undefined : (most ?? undefined),
    sort: search.sort === 'newest' ? undefined : oneOf(orders, search.sort),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The day of the reader's calendar, `2026-11-29`. */
export const dayOf = (at: string | undefined, earlier = 0): string | undefined => {
  if (at === undefined) return undefined;
  const day = new Date(at);
  day.setDate(day.getDate() - earlier);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
};

/** A filter of the API as it stands in the address. */
export function searchOf(filter: RowsFilter): TaskSearch {
  const { q, status, failure, taskType: type, agentId, project, tag, feedback, sort } = filter;
  const [min, max] = [filter.minAmount, filter.maxAmount].map((cents) => cents !== undefined && amountText(cents));
  const [from, to] = [dayOf(filter.createdFrom), dayOf(filter.createdBefore, 1)];
  const all = { q, status, failure, type, agentId, project, tag, feedback, from, to, min, max, sort };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => typeof value === 'string'));
}
