import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ChoiceCards, TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Failure, Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Code } from '../../ui/Values.tsx';
import { cardName, cardsQuery } from './data.ts';

const testCards = [
  { value: 'pm_card_visa', title: 'Visa •••• 4242', text: 'Every charge succeeds.' },
  { value: 'pm_card_chargeDeclined', title: 'Visa •••• 0341', text: 'Saved, then declined when charged.' },
  { value: 'other', title: 'Another one', text: 'By the id of its payment method.' },
];

/** Cards that Stripe's test mode knows and that fail, each in a way of its own. */
const stripeFailures = [
  ['pm_card_chargeCustomerFail', 'declined when charged'],
  ['pm_card_visa_chargeDeclinedInsufficientFunds', 'too little money, refused when saved'],
  ['pm_card_chargeDeclinedExpiredCard', 'expired, refused when saved'],
  ['pm_card_authenticationRequired', 'the bank asks for a confirmation, so the charge is declined'],
] as const;

/** Saves a card: in development a test card, elsewhere the id that the processor's own form gave. */
export function AddCard({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title="Add a card" open={open} onClose={onClose}>
      <AddCardForm onClose={onClose} />
    </Dialog>
  );
}

function AddCardForm({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [choice, setChoice] = useState(pageFacts.isDevelopment ? 'pm_card_visa' : 'other');
  const [typed, setTyped] = useState('');
  const paymentMethodId = choice === 'other' ? typed.trim() : choice;
  const add = useMutation({
    mutationFn: () => agora.vault.addPaymentMethod({ paymentMethodId }),
    onSuccess: (card) => {
      say(`${cardName(card)} saved.`);
      onClose();
      return client.invalidateQueries({ queryKey: cardsQuery.queryKey });
    },
  });
  const why = paymentMethodId === '' ? 'Write the id first.' : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !add.isPending) add.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {pageFacts.isDevelopment ? (
        <ChoiceCards legend="Test card" name="card" value={choice} onChange={setChoice} options={testCards} />
      ) : (
        <Note>
          Card numbers never pass through Agora. Your operator gives you the payment processor’s form; paste the id of
          the payment method that it ends with.
        </Note>
      )}
      {choice === 'other' && (
        <TextField
          label="Payment method id"
          placeholder="pm_…"
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          error={fieldErrors(add.error).paymentMethodId}
        />
      )}
      {choice === 'other' && pageFacts.isDevelopment && (
        <details className="text-small">
          <summary className="text-soft">Test cards of Stripe that fail</summary>
          <p className="mt-2 text-faint">They are known where this server has a Stripe test key.</p>
          <ul className="mt-1 grid gap-1">
            {stripeFailures.map(([id, what]) => (
              <li key={id}>
                <Code>{id}</Code>: {what}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Failure error={add.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={add.isPending} why={why}>
          Save card
        </Button>
      </div>
    </form>
  );
}
