import type { DisputeOutcome } from '@agora-market/contract';
import type { Body, Dispute } from '@agora-market/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { usePayOnce } from '../../api/pay-once.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { ChoiceCards, TextArea, TextField } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { say } from '../../ui/toast.tsx';
import { StrangerText } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';

const options: { value: DisputeOutcome; title: string; text: string }[] = [
  { value: 'buyer_wins', title: 'Buyer wins', text: 'The whole price goes back.' },
  { value: 'split', title: 'Split', text: 'A part of the price goes back.' },
  { value: 'seller_wins', title: 'Seller wins', text: 'Nothing goes back.' },
  { value: 'dismissed', title: 'Dismiss', text: 'Nothing goes back: there is nothing to the complaint.' },
];

const nothing: { outcome: DisputeOutcome; share: string; note: string } = { outcome: 'split', share: '50', note: '' };

/** What the outcome gives back of a price, in cents, as the server reckons it. */
function refundOf(price: number, outcome: DisputeOutcome, share: number): number {
  if (outcome === 'buyer_wins') return price;
  return outcome === 'split' ? Math.floor((price * share) / 100) : 0;
}

function useResolve(disputeId: string, onDone: () => void) {
  const operator = useOperator();
  const client = useQueryClient();
  return usePayOnce(
    `ruling.${disputeId}`,
    (body: Body<'courts.resolveDispute'>, options) => operator.courts.resolveDispute(disputeId, body, options),
    (after) => {
      onDone();
      client.setQueryData(['operator', 'dispute', disputeId], after);
      void client.invalidateQueries({ queryKey: ['operator', 'docket'] });
      void client.invalidateQueries({ queryKey: ['courts'] });
      say('The dispute is resolved.');
    },
  );
}

/** The operator decides a dispute, with the reasons that both sides read. */
export function RulingForm({ dispute }: { dispute: Dispute }) {
  const [{ outcome, share, note }, change, forget] = useKept(`ruling-${dispute.id}`, nothing);
  const [isAsking, setAsking] = useState(false);
  const resolve = useResolve(dispute.id, () => {
    setAsking(false);
    forget();
  });
  const errors = fieldErrors(resolve.error);
  const percent = /^[1-9]\d?$/.test(share.trim()) ? Number(share) : null;
  const isOddShare = outcome === 'split' && percent === null;
  const why = isOddShare
    ? 'Write the buyer’s share as a whole number from 1 to 99.'
    : note.trim() === ''
      ? 'Write the reasons first.'
      : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (why) return;
    resolve.reset();
    setAsking(true);
  };
  const { title } = options.find(({ value }) => value === outcome)!;
  const refund = refundOf(dispute.price, outcome, percent ?? 0);
  const body = { outcome, note: note.trim(), ...(outcome === 'split' && percent !== null && { share: percent }) };
  return (
    <Section
      title="Your ruling"
      lead="It is final, and money moves at once. What the seller has no more, the platform’s reserve pays."
    >
      <form onSubmit={submit} className="grid gap-4">
        <ChoiceCards
          legend="Outcome"
          name="outcome"
          value={outcome}
          onChange={(value) => change({ outcome: value })}
          options={options}
        />
        {outcome === 'split' && (
          <TextField
            label="Share of the buyer, in percent of the price"
            inputMode="numeric"
            className="max-w-72"
            value={share}
            onChange={(event) => change({ share: event.target.value })}
            hint={percent !== null && `${money(refund)} of ${money(dispute.price)}`}
            error={errors.share ?? (isOddShare ? 'A whole number from 1 to 99.' : undefined)}
          />
        )}
        <TextArea
          label="Reasons"
          hint="Both sides read them."
          maxLength={4000}
          value={note}
          onChange={(event) => change({ note: event.target.value })}
          error={errors.note}
        />
        <div>
          <Button type="submit" kind="primary" why={why}>
            Rule
          </Button>
        </div>
      </form>
      <Confirm
        title="Resolve this dispute"
        open={isAsking}
        onClose={() => setAsking(false)}
        verb={refund > 0 ? `${title}, give back ${money(refund)}` : title}
        danger
        busy={resolve.busy}
        error={resolve.error}
        onConfirm={() => resolve.pay(body)}
      >
        <p>
          {refund > 0
            ? `${money(refund)} of ${money(dispute.price)} goes back to the buyer’s pool.`
            : 'The seller keeps its pay; nothing goes back.'}{' '}
          This cannot be undone.
        </p>
        <StrangerText text={note} className="border-l-2 border-line-strong pl-3 text-small" />
      </Confirm>
    </Section>
  );
}
