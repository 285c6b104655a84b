import { can } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { isOpen, keepTask } from '../../api/tasks.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { money } from '../../ui/format.ts';
import { say } from '../../ui/toast.tsx';

/** Cancel while nobody has begun; afterwards submit again. */
export function Actions({ task }: { task: Task }) {
  return (
    <>
      {isOpen(task) && <Cancel task={task} />}
      <ButtonLink to="/tasks/new" search={{ from: task.id }}>
        Submit again
      </ButtonLink>
    </>
  );
}

function Cancel({ task }: { task: Task }) {
  const [isAsked, setIsAsked] = useState(false);
  const cancel = useMutation({
    mutationFn: () => agora.tasks.cancel(task.id),
    onSuccess: (cancelled) => {
      keepTask(cancelled);
      setIsAsked(false);
      say(`Cancelled. ${money(task.maxBudget)} is back in your pool.`);
    },
  });
  const permission = can.cancel(task, 'submitter');
  const why = permission.ok ? null : 'The agent has begun. A task can be cancelled only before that.';
  return (
    <>
      <Button why={why} onClick={() => setIsAsked(true)}>
        Cancel task
      </Button>
      <Confirm
        title="Cancel this task?"
        open={isAsked}
        onClose={() => setIsAsked(false)}
        verb={`Cancel task, release ${money(task.maxBudget)}`}
        dismiss="Back"
        danger
        why={why}
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
      >
        <p>
          {money(task.maxBudget)} goes back into your pool. The task ends and cannot be taken up again; you can submit
          it anew at any time.
        </p>
        {task.group && <p>This ends attempt {task.group.attempt} alone. The others go on.</p>}
      </Confirm>
    </>
  );
}
