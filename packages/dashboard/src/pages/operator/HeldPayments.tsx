import type { ItemOf } from '@agora-market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pagesOf, useRows } from '../../api/pages.ts';
import { useOwner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';
import { OwnerRef } from './References.tsx';

type Held = ItemOf<'vault.listHeldPayments'>;

interface Decision {
  held: Held;
  verb: 'release' | 'refuse';
}

const queryKey = ['operator', 'held'];

/** Withdrawals and top-ups that are over a daily limit and wait for a decision. */
export function HeldPayments() {
  const operator = useOperator();
  const [decision, setDecision] = useState<Decision | null>(null);
  const query = useRows(pagesOf(queryKey, (cursor) => operator.vault.listHeldPayments({ status: 'open', ...cursor })));
  const columns: readonly Column<Held>[] = [
    {
      id: 'payment',
      header: 'Payment',
      cell: ({ kind, ownerId, reason }) => (
        <div className="grid justify-items-start gap-1">
          {kind === 'withdrawal' ? 'Withdrawal' : 'Top-up'}
          <OwnerRef id={ownerId} />
          <span className="text-soft">{reason}</span>
        </div>
      ),
    },
    {
      id: 'amount',
      header: 'Amount',
      sort: ({ amount }) => amount,
      right: true,
      cell: ({ amount }) => <Money cents={amount} />,
    },
    { id: 'at', header: 'Since', sort: ({ heldAt }) => heldAt, wide: true, cell: ({ heldAt }) => <Time at={heldAt} /> },
    {
      id: 'decide',
      header: '',
      right: true,
      cell: (held) => (
        <span className="flex flex-wrap gap-1.5 sm:justify-end">
          <Button small onClick={() => setDecision({ held, verb: 'release' })}>
            Release
          </Button>
          <Button small onClick={() => setDecision({ held, verb: 'refuse' })}>
            Refuse
          </Button>
        </span>
      ),
    },
  ];
  return (
    <>
      <Section title="Held payments" lead="Over a limit of a day, newest first." flush>
        <Table
          label="Held payments"
          columns={columns}
          {...tableOf(query)}
          rowKey={({ id }) => id}
          empty={<Empty title="Nothing waits">Payments over a daily limit appear here.</Empty>}
        />
      </Section>
      <DecideDialog decision={decision} onClose={() => setDecision(null)} />
    </>
  );
}

function DecideDialog({ decision, onClose }: { decision: Decision | null; onClose: () => void }) {
  const operator = useOperator();
  const client = useQueryClient();
  const by = useOwner()?.email ?? 'operator';
  const [reason, setReason] = useState('');
  const decide = useMutation({
    mutationFn: ({ held, verb }: Decision) => {
      const body = { reason: reason.trim(), by };
      return verb === 'release'
        ? operator.vault.releaseHeldPayment(held.id, body)
        : operator.vault.refuseHeldPayment(held.id, body);
    },
    onSuccess: () => {
      close();
      return client.invalidateQueries({ queryKey });
    },
  });
  const close = () => {
    setReason('');
    decide.reset();
    onClose();
  };
  const isRelease = decision?.verb === 'release';
  return (
    <Confirm
      title={isRelease ? 'Release this payment' : 'Refuse this payment'}
      open={decision !== null}
      onClose={close}
      verb={isRelease ? 'Release' : 'Refuse'}
      danger
      why={reason.trim() === '' ? 'Write a reason first.' : null}
      busy={decide.isPending}
      error={decide.error}
      onConfirm={() => decision && decide.mutate(decision)}
    >
      {decision && <Note kind="warn">{effectOf(decision)}</Note>}
      <TextArea
        label="Reason"
        hint="For the owner and the audit trail."
        maxLength={1000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        error={fieldErrors(decide.error).reason}
      />
    </Confirm>
  );
}

function effectOf({ held: { kind }, verb }: Decision): string {
  if (kind === 'withdrawal') return verb === 'release' ? 'The bank is paid.' : 'The amount returns to the wallet.';
  return verb === 'release' ? 'The owner may make it within a day, by the same card.' : 'Nothing was charged.';
}
