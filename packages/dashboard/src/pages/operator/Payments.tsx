import type { Body, Reply } from '@agora-market/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePayOnce } from '../../api/pay-once.ts';
import { useOwner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { MoneyField, TextArea } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { centsOf, isOddAmount, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';
import { AgentRef } from './References.tsx';

type Payment = Reply<'operator.owner'>['payments'][number];

/** What an owner paid in and withdrew of late. A top-up goes back to its card, as far as its credits were not spent. */
export function Payments({ payments }: { payments: readonly Payment[] }) {
  const [refunding, setRefunding] = useState<Payment | null>(null);
  const columns: readonly Column<Payment>[] = [
    {
      id: 'payment',
      header: 'Payment',
      cell: ({ kind, id, agentId }) => (
        <span className="grid justify-items-start gap-1">
          <span>
            {kind === 'top_up' ? 'Top-up' : 'Withdrawal'} {agentId && <AgentRef id={agentId} />}
          </span>
          <Code>{id}</Code>
        </span>
      ),
    },
    { id: 'amount', header: 'Amount', right: true, cell: ({ amount }) => <Money cents={amount} /> },
    { id: 'state', header: 'State', wide: true, cell: ({ status }) => <State of={status} /> },
    { id: 'at', header: 'When', right: true, wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: 'refund',
      header: '',
      right: true,
      cell: (payment) =>
        payment.kind === 'top_up' &&
        payment.status === 'succeeded' && (
          <Button small onClick={() => setRefunding(payment)}>
            Refund
          </Button>
        ),
    },
  ];
  return (
    <Section title="Payments" lead="The newest twenty." flush>
      <Table
        label="Payments"
        columns={columns}
        rows={payments}
        rowKey={({ id }) => id}
        empty={<Empty title="No payments">What the owner pays in by card and withdraws to a bank stands here.</Empty>}
      />
      {refunding && <Refund key={refunding.id} topUp={refunding} onClose={() => setRefunding(null)} />}
    </Section>
  );
}

function Refund({ topUp, onClose }: { topUp: Payment; onClose: () => void }) {
  const operator = useOperator();
  const client = useQueryClient();
  const by = useOwner()?.email ?? 'operator';
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const refund = usePayOnce(
    `refund.${topUp.id}`,
    (body: Body<'vault.refundTopUp'>, options) => operator.vault.refundTopUp(topUp.id, body, options),
    (done) => {
      onClose();
      say(`${money(done.amount)} ${done.status === 'pending' ? 'are on their way back.' : 'went back to the card.'}`);
      void client.invalidateQueries({ queryKey: ['operator'] });
    },
  );
  const cents = centsOf(amount);
  const errors = fieldErrors(refund.error);
  const why = isOddAmount(amount)
    ? 'Write an amount like 12.50, or none for all of it.'
    : reason.trim() === ''
      ? 'Write a reason first.'
      : null;
  return (
    <Confirm
      title="Refund this top-up"
      open
      onClose={onClose}
      verb={cents === null ? 'Refund all of it' : `Refund ${money(cents)}`}
      danger
      why={why}
      busy={refund.busy}
      error={refund.error}
      onConfirm={() => refund.pay({ reason: reason.trim(), by, ...(cents !== null && { amount: cents }) })}
    >
      <p>
        {money(topUp.amount)}, <Code>{topUp.id}</Code>. The credits leave the pool now and go back to the card. If the
        processor refuses, they return.
      </p>
      <MoneyField
        label="Amount"
        optional
        hint="Leave empty to refund the rest."
        value={amount}
        onChange={setAmount}
        error={errors.amount}
      />
      <TextArea
        label="Reason"
        hint="For the owner and the audit trail."
        maxLength={1000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        error={errors.reason}
      />
    </Confirm>
  );
}
