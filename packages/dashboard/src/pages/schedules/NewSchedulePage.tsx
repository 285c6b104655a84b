import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { agora } from '../../api/client.ts';
import { useRows } from '../../api/pages.ts';
import { Button } from '../../ui/Button.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { amountText } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { bodyOf, Fields, problemsOf, type ScheduleDraft } from './Fields.tsx';
import { keepSchedule, templatesQuery } from './queries.ts';
import { ownZone } from './times.ts';

const route = getRouteApi('/owner/schedules/new');

/** The form of a new schedule. */
export function NewSchedulePage() {
  const empty = useMemo<ScheduleDraft>(
    () => ({
      ...{ name: '', templateId: '', maxBudget: '', monthlyBudget: '' },
      times: { rhythm: 'weekdays', at: '09:00', weekday: '1', cron: '0 9 * * 1-5', timeZone: ownZone() },
    }),
    [],
  );
  const [draft, change, forget] = useKept<ScheduleDraft>('schedule', empty);
  useAsked(change, forget);
  const [isTried, setTried] = useState(false);
  const navigate = useNavigate();
  const attempt = useAttempt('schedule');
  const create = useMutation({
    mutationFn: (sent: ScheduleDraft) => {
      const body = bodyOf(sent);
      return agora.schedules.create(body, { idempotencyKey: attempt.keyFor(body) });
    },
    onSuccess: (schedule, sent) => {
      attempt.settle();
      keepSchedule(schedule);
      forget(sent);
      void navigate({ to: '/schedules/$scheduleId', params: { scheduleId: schedule.id } });
    },
    onError: (error) => attempt.settle(error),
  });
  const problems = problemsOf(draft);
  const refused = fieldErrors(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0 && !create.isPending) create.mutate(draft);
  };
  return (
    <Page
      narrow
      title="New schedule"
      lead="Submits a task by the clock, and stops where your budget does."
      back={<Link to="/schedules">Schedules</Link>}
    >
      <form noValidate onSubmit={submit}>
        <Section>
          <div className="grid gap-6">
            <Fields draft={draft} change={change} errors={isTried ? { ...refused, ...problems } : refused} />
            {Object.keys(refused).length === 0 && <Failure error={create.error} />}
            <div className="flex justify-end">
              <Button type="submit" kind="primary" busy={create.isPending}>
                Create schedule
              </Button>
            </div>
          </div>
        </Section>
      </form>
    </Page>
  );
}

/** The template that the address names, with its name and budget. Once: a reload must not undo what was changed since. */
function useAsked(change: (part: Partial<ScheduleDraft>) => void, forget: () => void) {
  const { templateId } = route.useSearch();
  const navigate = route.useNavigate();
  const { rows } = useRows(templatesQuery);
  const isDone = useRef(false);
  useEffect(() => {
    const template = rows?.find(({ id }) => id === templateId);
    if (!template || isDone.current) return;
    isDone.current = true;
    // What was begun of another one is not mixed with it.
    forget();
    change({ templateId: template.id, maxBudget: amountText(template.maxBudget), name: template.name });
    void navigate({ search: {}, replace: true });
  }, [rows, templateId, change, forget, navigate]);
}
