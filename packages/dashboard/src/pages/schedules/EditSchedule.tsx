import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agora } from '../../api/client.ts';
import { Confirm } from '../../ui/Dialog.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { amountText } from '../../ui/format.ts';
import { sayUndo } from '../../ui/undo.tsx';
import { bodyOf, Fields, problemsOf, type ScheduleDraft } from './Fields.tsx';
import { keepSchedule, type Schedule } from './queries.ts';
import { timesOf } from './times.ts';

const draftOf = ({ name, templateId, cron, timeZone, maxBudget, monthlyBudget }: Schedule): ScheduleDraft => ({
  ...{ name, templateId: templateId ?? '', times: timesOf(cron, timeZone) },
  ...{ maxBudget: amountText(maxBudget), monthlyBudget: amountText(monthlyBudget) },
});

/** All that an update changes, as it is. */
const asItIs = ({ name, templateId, task, cron, timeZone, maxBudget, monthlyBudget }: Schedule) => ({
  ...{ name, cron, timeZone, maxBudget, monthlyBudget },
  ...(templateId === null ? { task: task ?? undefined } : { templateId }),
});

interface EditProps {
  schedule: Schedule;
  open: boolean;
  onClose: () => void;
}

/** Changes what a schedule submits, when, and for how much. */
export function EditSchedule({ schedule, open, onClose }: EditProps) {
  const kept = useMemo(() => draftOf(schedule), [schedule]);
  const [draft, change, forget] = useKept<ScheduleDraft>(`schedule.${schedule.id}`, kept);
  const ownTask = schedule.templateId === null;
  const update = useMutation({
    mutationFn: () => agora.schedules.update(schedule.id, bodyOf(draft)),
    onSuccess: (changed) => {
      forget();
      keepSchedule(changed);
      close();
      sayUndo('The schedule is changed.', async () =>
        keepSchedule(await agora.schedules.update(schedule.id, asItIs(schedule))),
      );
    },
  });
  const close = () => {
    update.reset();
    onClose();
  };
  const problems = problemsOf(draft, ownTask);
  const refused = fieldErrors(update.error);
  return (
    <Confirm
      title="Change the schedule"
      open={open}
      onClose={close}
      verb="Save changes"
      why={Object.values(problems)[0] ?? null}
      busy={update.isPending}
      error={Object.keys(refused).length === 0 ? update.error : null}
      onConfirm={() => update.mutate()}
    >
      <div className="grid gap-6">
        <Fields draft={draft} change={change} errors={{ ...refused, ...problems }} ownTask={ownTask} />
      </div>
    </Confirm>
  );
}
