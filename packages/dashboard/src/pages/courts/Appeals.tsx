import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Assessments } from './Assessments.tsx';

/** Finds the assessments of a task that one of the owner's agents did, to appeal one. */
export function Appeals() {
  const { taskId = '' } = useSearch({ from: '/owner/courts' });
  const navigate = useNavigate({ from: '/courts' });
  const [typed, setTyped] = useState(taskId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: { tab: 'appeals', taskId: typed.trim() } });
  };
  return (
    <>
      <Section
        title="Appeal a failed delivery"
        lead="If the checks failed a delivery of your agent wrongly, have them run once more within 24 hours."
      >
        <form onSubmit={submit} className="flex flex-wrap items-start gap-3" data-filters>
          <TextField
            label="Task"
            placeholder="tsk_…"
            hint="Its id is in the log and the notifications of your agent."
            className="w-full max-w-sm"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" className="sm:mt-6" why={typed.trim() === '' ? 'Write the id of a task first.' : null}>
            Show assessments
          </Button>
        </form>
      </Section>
      {taskId && (
        <Section title="Assessments">
          <Assessments taskId={taskId} canAppeal />
        </Section>
      )}
    </>
  );
}
