import { AgoraError } from '@agora-market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { approvalQuery } from '../../api/approvals.ts';
import { agora } from '../../api/client.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { money } from '../../ui/format.ts';
import { say } from '../../ui/toast.tsx';
import { type ApprovalView, totalOf } from './total.ts';

const wasDecided = (error: unknown) =>
  error instanceof AgoraError && (error.code === 'ALREADY_DECIDED' || error.code === 'APPROVAL_EXPIRED');

/** After a decision, or on hearing that there is one: what shows it is asked again. */
function useDecided(approvalId: string, close: () => void) {
  const queries = useQueryClient();
  return {
    decided: async (approval: Omit<ApprovalView, 'submission'>) => {
      queries.setQueryData<ApprovalView>(approvalQuery(approvalId).queryKey, (before) => ({
        submission: before?.submission ?? null,
        ...approval,
      }));
      close();
      await Promise.all(
        [['approvals', 'list'], ['approvals', 'waiting'], ['vault'], ['tasks'], ['overview']].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      );
    },
    elsewhere: async () => {
      await queries.invalidateQueries({ queryKey: ['approvals'] });
      close();
    },
  };
}

/** The two buttons. `onDecided` tells that this screen decided. */
export function Decision({ approval, onDecided }: { approval: ApprovalView; onDecided: () => void }) {
  const [open, setOpen] = useState<'approve' | 'deny' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button kind="danger" onClick={() => setOpen('deny')}>
        Deny
      </Button>
      <Button kind="primary" onClick={() => setOpen('approve')}>
        Approve {money(totalOf(approval))}
      </Button>
      {open === 'approve' && <Approve {...{ approval, onDecided, close }} />}
      {open === 'deny' && <Deny {...{ approval, onDecided, close }} />}
    </>
  );
}

interface DialogProps {
  approval: ApprovalView;
  onDecided: () => void;
  close: () => void;
}

function Approve({ approval, onDecided, close }: DialogProps) {
  // One key for as long as the dialog is open, so that a second press cannot submit twice.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const { decided, elsewhere } = useDecided(approval.id, close);
  const total = money(totalOf(approval));
  const approve = useMutation({
    mutationFn: () => agora.embassy.approve(approval.id, { idempotencyKey }),
    onSuccess: ({ approval: after }) => {
      onDecided();
      say(`Approved. ${total} is held for the task.`);
      return decided(after);
    },
    onError: (error) => (wasDecided(error) ? elsewhere() : undefined),
  });
  const error = wasDecided(approve.error) ? null : approve.error;
  return (
    <Confirm
      title={`Approve ${total}?`}
      open
      onClose={close}
      verb={`Approve ${total}`}
      busy={approve.isPending}
      error={error}
      onConfirm={() => approve.mutate()}
    >
      <p>
        {total} is held from your pool and the task is submitted at once. What the task does not use comes back; if it
        fails, all of it.
      </p>
      {error instanceof AgoraError && error.code === 'INSUFFICIENT_CREDITS' && (
        <p>
          The request stays open. <TextLink to="/vault">Top up your pool</TextLink>, then approve it.
        </p>
      )}
    </Confirm>
  );
}

function Deny({ approval, onDecided, close }: DialogProps) {
  const [{ note }, change, forget] = useKept(`deny.${approval.id}`, noNote);
  const { decided, elsewhere } = useDecided(approval.id, close);
  const deny = useMutation({
    mutationFn: () => agora.embassy.deny(approval.id, note.trim() ? { note: note.trim() } : {}),
    onSuccess: (after) => {
      onDecided();
      forget();
      say('Denied. Nothing is spent.');
      return decided(after);
    },
    onError: (error) => (wasDecided(error) ? elsewhere() : undefined),
  });
  const errors = fieldErrors(deny.error);
  return (
    <Confirm
      title="Deny the request?"
      open
      onClose={close}
      verb="Deny"
      danger
      busy={deny.isPending}
      error={wasDecided(deny.error) || errors.note ? null : deny.error}
      onConfirm={() => deny.mutate()}
    >
      <TextArea
        label="Reason"
        optional
        hint="The agent reads it, so it can ask for less or leave it."
        maxLength={1000}
        value={note}
        error={errors.note}
        onChange={(event) => change({ note: event.target.value })}
      />
    </Confirm>
  );
}

const noNote = { note: '' };
