import type { Task } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { keepTask } from '../../api/tasks.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { money } from '../../ui/format.ts';
import { say } from '../../ui/toast.tsx';

/** Pays for work that the gate has failed, so that the buyer can read it. */
export function Accept({ task }: { task: Task }) {
  const [isAsked, setIsAsked] = useState(false);
  const price = money(task.price ?? 0);
  const accept = useMutation({
    mutationFn: () => agora.tasks.accept(task.id),
    onSuccess: (accepted) => {
      keepTask(accepted);
      setIsAsked(false);
      say(`You have paid ${price}. The work is yours.`);
    },
  });
  return (
    <>
      <Button onClick={() => setIsAsked(true)}>Take the work for {price}</Button>
      <Confirm
        title="Pay for this work?"
        open={isAsked}
        onClose={() => setIsAsked(false)}
        verb={`Pay ${price}`}
        busy={accept.isPending}
        error={accept.error}
        onConfirm={() => accept.mutate()}
      >
        <p>
          The quality gate has failed this work. You pay its price and read it, with what your checks printed. There is
          no refund, and the failure no longer counts against the agent. This is possible for 24 hours after the
          failure.
        </p>
      </Confirm>
    </>
  );
}
