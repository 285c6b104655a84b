import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { agora } from '../../api/client.ts';
import { useRows } from '../../api/pages.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Choice, MoneyField, TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { amountText, centsOf } from '../../ui/format.ts';
import { Failure } from '../../ui/States.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { templatesQuery } from './queries.ts';
import { cronOf, rhythms, type Times, timeIn, weekdayNames } from './times.ts';

/** A schedule as it is typed. */
export interface ScheduleDraft {
  name: string;
  /** '' where the schedule has a task of its own. */
  templateId: string;
  times: Times;
  maxBudget: string;
  monthlyBudget: string;
}

interface FieldsProps {
  draft: ScheduleDraft;
  change: (part: Partial<ScheduleDraft>) => void;
  /** By the path of the field in the request. */
  errors: Record<string, string>;
  /** The schedule has a task that no template has; it may keep it. */
  ownTask?: boolean;
}

/** What is wrong before anything is sent, by the path of the field in the request. */
export function problemsOf({ name, templateId, times, maxBudget, monthlyBudget }: ScheduleDraft, ownTask = false) {
  const problems: Record<string, string> = {};
  if (name.trim() === '') problems.name = 'Name it, so that you find it again.';
  if (templateId === '' && !ownTask) problems.templateId = 'Choose what is submitted.';
  if (times.rhythm !== 'cron' && times.at === '') problems.cron = 'Choose a time.';
  const [each, month] = [centsOf(maxBudget), centsOf(monthlyBudget)];
  if (!each) problems.maxBudget = 'Name the most that one task may cost.';
  if (!month) problems.monthlyBudget = 'Name the most that a month may cost.';
  else if (each && month < each) problems.monthlyBudget = 'It must cover one run at least.';
  return problems;
}

/** As create and update take it. */
export const bodyOf = ({ name, templateId, times, maxBudget, monthlyBudget }: ScheduleDraft) => ({
  ...{ name: name.trim(), cron: cronOf(times), timeZone: times.timeZone.trim() },
  ...{ maxBudget: centsOf(maxBudget) ?? 0, monthlyBudget: centsOf(monthlyBudget) ?? 0 },
  ...(templateId !== '' && { templateId }),
});

/** What is submitted, when, and for how much. */
export function Fields({ draft, change, errors, ownTask = false }: FieldsProps) {
  return (
    <>
      <What draft={draft} change={change} errors={errors} ownTask={ownTask} />
      <When draft={draft} change={change} errors={errors} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <MoneyField
          label="Budget of each task"
          hint="Held when a run begins. What is not needed comes back."
          value={draft.maxBudget}
          onChange={(maxBudget) => change({ maxBudget })}
          error={errors.maxBudget}
        />
        <MoneyField
          label="Budget of a month"
          hint="Runs for which too little is left are skipped until the next month."
          value={draft.monthlyBudget}
          onChange={(monthlyBudget) => change({ monthlyBudget })}
          error={errors.monthlyBudget}
        />
      </div>
    </>
  );
}

function What({ draft, change, errors, ownTask }: FieldsProps) {
  const templates = useRows(templatesQuery);
  const rows = templates.rows ?? [];
  const choose = (templateId: string) => {
    const chosen = rows.find(({ id }) => id === templateId);
    change({
      templateId,
      ...(chosen && draft.maxBudget === '' && { maxBudget: amountText(chosen.maxBudget) }),
      ...(chosen && draft.name === '' && { name: chosen.name }),
    });
  };
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Choice
        label="What is submitted"
        value={draft.templateId}
        onChange={(event) => choose(event.target.value)}
        options={[
          ['', ownTask ? 'Its own task, as it is' : 'Choose a template'],
          ...rows.map(({ id, name }) => [id, name] as const),
        ]}
        error={errors.templateId}
        hint={
          <>
            A task that you have saved.{' '}
            <TextLink to="/tasks/new">{rows.length === 0 ? 'Save the first one' : 'Save another'}</TextLink>
          </>
        }
      />
      <TextField
        label="Name"
        maxLength={60}
        value={draft.name}
        error={errors.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <Failure error={templates.rows ? null : templates.error} retry={() => void templates.refetch()} />
    </div>
  );
}

function When({ draft, change, errors }: FieldsProps) {
  const zones = useId();
  const { times } = draft;
  const set = (part: Partial<Times>) => change({ times: { ...times, ...part } });
  const next = useNext(times);
  const wrong = { ...fieldErrors(next.error), ...errors };
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 text-base font-semibold">When</legend>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Choice
          label="Rhythm"
          value={times.rhythm}
          onChange={(event) => {
            const rhythm = event.target.value as Times['rhythm'];
            // What was chosen so far is where one's own cron begins.
            set({ rhythm, ...(rhythm === 'cron' && { cron: cronOf(times) }) });
          }}
          options={rhythms}
        />
        {times.rhythm === 'cron' ? (
          <TextField
            label="Cron"
            value={times.cron}
            error={wrong.cron}
            hint="Minute, hour, day of the month, month, weekday. At most every 15 minutes."
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ cron: event.target.value })}
          />
        ) : (
          <Clock times={times} set={set} error={wrong.cron} />
        )}
        <TextField
          label="Time zone"
          list={zones}
          value={times.timeZone}
          error={wrong.timeZone}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ timeZone: event.target.value })}
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <Next runs={next.error ? undefined : next.data?.runs} timeZone={next.data?.timeZone ?? 'UTC'}>
          {Object.keys(fieldErrors(next.error)).length === 0 && <Failure error={next.error} />}
        </Next>
      </div>
    </fieldset>
  );
}

interface ClockProps {
  times: Times;
  set: (part: Partial<Times>) => void;
  error: string | undefined;
}

function Clock({ times, set, error }: ClockProps) {
  return (
    <div className="grid grid-cols-2 items-start gap-4">
      {times.rhythm === 'weekly' && (
        <Choice
          label="Day"
          value={times.weekday}
          onChange={(event) => set({ weekday: event.target.value })}
          options={weekdayNames}
        />
      )}
      <TextField
        label="Time"
        type="time"
        required
        value={times.at}
        error={error}
        hint={times.rhythm === 'hourly' ? 'Only the minutes are used.' : undefined}
        onChange={(event) => set({ at: event.target.value })}
      />
    </div>
  );
}

/** The next times, asked of the server, whose rule it is, with the zone that they were asked for. */
function useNext(times: Times) {
  const asked = useSettled(JSON.stringify({ cron: cronOf(times), timeZone: times.timeZone.trim() }), 400);
  return useQuery({
    queryKey: ['schedules', 'preview', asked],
    queryFn: async ({ signal }) => {
      const { cron, timeZone } = JSON.parse(asked) as { cron: string; timeZone: string };
      return { ...(await agora.schedules.preview({ cron, timeZone }, { signal })), timeZone };
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
}

function Next({ runs, timeZone, children }: { runs: string[] | undefined; timeZone: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1" aria-live="polite">
      <p className="text-small font-medium">Next runs</p>
      {runs === undefined ? (
        <p className="text-small text-faint">They appear here once the schedule is valid.</p>
      ) : (
        <ul className="figures text-small text-soft">
          {runs.map((at) => (
            <li key={at}>
              <time dateTime={at}>{timeIn(timeZone, at)}</time>
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}
