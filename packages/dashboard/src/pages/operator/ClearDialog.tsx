import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useOwner } from '../../api/session.ts';
import { Confirm } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Code, Money } from '../../ui/Values.tsx';
import { type Finding, kindWords } from './findings.ts';
import { useOperator } from './operator.ts';

/** A finding, or the flag of an agent's wallet. */
type Cleared = Finding | { agentId: string };

interface ClearDialogProps {
  of: Cleared | null;
  onClose: () => void;
}

/** Declares a finding to be in order. Where it flagged a wallet, the flag goes and the wallet pays out again. */
export function ClearDialog({ of, onClose }: ClearDialogProps) {
  const operator = useOperator();
  const client = useQueryClient();
  const by = useOwner()?.email ?? 'operator';
  const [reason, setReason] = useState('');
  const clear = useMutation({
    mutationFn: async (cleared: Cleared) => {
      const body = { reason: reason.trim(), by };
      await ('id' in cleared && cleared.agentId === null
        ? operator.vault.clearFinding(cleared.id, body)
        : operator.vault.clearFlag(cleared.agentId as string, body));
    },
    onSuccess: () => {
      close();
      say('Cleared.');
      return client.invalidateQueries({ queryKey: ['operator'] });
    },
  });
  const close = () => {
    setReason('');
    clear.reset();
    onClose();
  };
  const finding = of && 'kind' in of ? of : null;
  return (
    <Confirm
      title={of?.agentId ? 'Clear the flag of this wallet' : 'Clear this finding'}
      open={of !== null}
      onClose={close}
      verb="Clear"
      danger
      why={reason.trim() === '' ? 'Write a reason first.' : null}
      busy={clear.isPending}
      error={clear.error}
      onConfirm={() => of && clear.mutate(of)}
    >
      {finding && (
        <Facts
          rows={[
            ['Finding', kindWords[finding.kind]],
            ['About', <Code key="subject">{finding.subject}</Code>],
            ['Ledger', finding.here !== null && <Money key="here" cents={finding.here} />],
            ['Compared with', finding.there !== null && <Money key="there" cents={finding.there} />],
          ]}
        />
      )}
      {of?.agentId && !finding && <Code>{of.agentId}</Code>}
      {of?.agentId && <Note kind="warn">Withdrawals from this wallet work again at once.</Note>}
      {finding?.kind === 'reversal_uncovered' && <Note kind="warn">This cancels the debt that it names.</Note>}
      <TextArea
        label="Reason"
        hint="For the audit trail."
        maxLength={1000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        error={fieldErrors(clear.error).reason}
      />
    </Confirm>
  );
}
