import type { Body, ItemOf, Reply } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { money, print, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';

type Schedule = Reply<'schedules.get'>;
type Run = ItemOf<'schedules.listRuns'>;

interface Given {
  template?: string;
  cron?: string;
  timeZone?: string;
  maxBudget?: number;
  monthlyBudget?: number;
}

/** A time in the time zone of the schedule, which its owner thinks in. */
function timeIn(timeZone: string, at: string | null): string {
  if (at === null) return '';
  const format = { dateStyle: 'short', timeStyle: 'short', timeZone } as const;
  // Swedish is written as ISO 8601 is.
  return new Intl.DateTimeFormat('sv-SE', format).format(new Date(at));
}

type Stated = Pick<Schedule, 'status' | 'pausedBecause' | 'failuresInARow'>;

const stateOf = ({ status, pausedBecause, failuresInARow }: Stated): string =>
  pausedBecause === 'failures' ? `paused after ${failuresInARow} failures` : status;

const text = (schedule: Schedule): string => {
  const { id, name, cron, timeZone, templateId, title, maxBudget, monthlyBudget, spentThisMonth } = schedule;
  return [
    `${id}  ${safeLine(name, 60)}`,
    `status  ${stateOf(schedule)}`,
    `when    ${cron} (${timeZone})`,
    `next    ${timeIn(timeZone, schedule.nextRunAt)}`,
    `last    ${timeIn(timeZone, schedule.lastRunAt)}`,
    `task    ${templateId ?? 'of its own'}: ${safeLine(title, 200)}`,
    `budget  ${money(maxBudget)} a task, ${money(monthlyBudget)} a month, ${money(spentThisMonth)} of it used`,
  ].join('\n');
};

const show = (options: ServerOptions, schedule: Schedule): void => print(options, schedule, () => text(schedule));

export const createScheduleCommand = (name: string, options: ServerOptions & Required<Given>): Promise<void> =>
  withServer(options, async (agora) => {
    const { template, cron, timeZone, maxBudget, monthlyBudget } = options;
    const body = { name, templateId: template, cron, timeZone, maxBudget, monthlyBudget };
    show(options, await agora.schedules.create(body));
  });

export const nextCommand = (cron: string, options: ServerOptions & { timeZone: string }): Promise<void> =>
  withServer(options, async (agora) => {
    const { timeZone } = options;
    const preview = await agora.schedules.preview({ cron, timeZone });
    print(options, preview, () => preview.runs.map((at) => timeIn(timeZone, at)).join('\n'));
  });

export const listSchedulesCommand = (options: PageOptions): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      (page) => agora.schedules.list(page),
      (schedules) => {
        const rows = schedules.map((each) => [
          ...[each.id, safeLine(each.name, 30), stateOf(each), each.cron, each.timeZone],
          ...[timeIn(each.timeZone, each.nextRunAt), `${money(each.spentThisMonth)} of ${money(each.monthlyBudget)}`],
        ]);
        return table(['schedule', 'name', 'status', 'cron', 'time zone', 'next', 'this month'], rows);
      },
    ),
  );

export const getScheduleCommand = (scheduleId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => show(options, await agora.schedules.get(scheduleId)));

export async function updateScheduleCommand(
  scheduleId: string,
  options: ServerOptions & Given & { name?: string },
): Promise<void> {
  const { name, template: templateId, cron, timeZone, maxBudget, monthlyBudget } = options;
  const all = { name, templateId, cron, timeZone, maxBudget, monthlyBudget };
  const body = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (Object.keys(body).length === 0) throw new UsageError('Say what to change, for example --cron "0 9 * * 1-5".');
  await withServer(options, async (agora) =>
    show(options, await agora.schedules.update(scheduleId, body as Body<'schedules.update'>)),
  );
}

export const pauseCommand = (scheduleId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => show(options, await agora.schedules.pause(scheduleId)));

export const resumeCommand = (scheduleId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => show(options, await agora.schedules.resume(scheduleId)));

export const runCommand = (scheduleId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const run = await agora.schedules.run(scheduleId);
    print(options, run, `${run.id} begins. What becomes of it: agora schedules runs ${scheduleId}`);
  });

const skipped = {
  still_open: 'the run before was not over',
  monthly_budget: 'the budget of the month is used up',
  paused: 'the schedule was paused before its task could be submitted',
} as const;

function outcomeOf({ taskIds, skipReason, error }: Run): string {
  if (skipReason !== null) return skipped[skipReason];
  return error === null ? taskIds.join(' ') : `${error.code}: ${safeLine(error.message, 80)}`;
}

export const runsCommand = (scheduleId: string, options: PageOptions): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      (page) => agora.schedules.listRuns(scheduleId, page),
      (runs) => {
        const rows = runs.map((run) => [
          ...[run.startedAt.slice(0, 16).replace('T', ' '), run.trigger, run.status, money(run.cost), outcomeOf(run)],
        ]);
        return table(['began (UTC)', 'by', 'status', 'cost', 'outcome'], rows);
      },
    ),
  );

export const deleteScheduleCommand = (scheduleId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    await agora.schedules.delete(scheduleId);
    print(options, { deleted: scheduleId }, `${scheduleId} is deleted.`);
  });
