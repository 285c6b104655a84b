import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useOwner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { counted } from '../../ui/format.ts';
import { say } from '../../ui/toast.tsx';
import { Code } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';

/** Lets jobs run again that were given up, all of a kind at once. */
export function RetryJobs({ kinds }: { kinds: readonly string[] }) {
  const operator = useOperator();
  const client = useQueryClient();
  const by = useOwner()?.email ?? 'operator';
  const [kind, setKind] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const retry = useMutation({
    mutationFn: (of: string) => operator.operator.retryJobs({ kind: of, reason: reason.trim(), by }),
    onSuccess: ({ retried }) => {
      close();
      say(`${counted(retried, 'job runs', 'jobs run')} again.`);
      return client.invalidateQueries({ queryKey: ['operator', 'stuck'] });
    },
  });
  const close = () => {
    setKind(null);
    setReason('');
    retry.reset();
  };
  return (
    <div className="flex flex-wrap gap-2 px-5 py-3">
      {kinds.map((each) => (
        <Button key={each} small onClick={() => setKind(each)}>
          Run {each} again
        </Button>
      ))}
      <Confirm
        title="Let these jobs run again"
        open={kind !== null}
        onClose={close}
        verb="Run again"
        why={reason.trim() === '' ? 'Write a reason first.' : null}
        busy={retry.isPending}
        error={retry.error}
        onConfirm={() => kind !== null && retry.mutate(kind)}
      >
        <p>
          All that were given up of the kind <Code>{kind ?? ''}</Code>, at most a thousand at once. They are safe to
          repeat.
        </p>
        <TextArea
          label="Reason"
          hint="For the audit trail."
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          error={fieldErrors(retry.error).reason}
        />
      </Confirm>
    </div>
  );
}
