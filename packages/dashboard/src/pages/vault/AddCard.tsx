import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ChoiceCards } from '../../ui/Field.tsx';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { cardName, cardsQuery } from './data.ts';

const elsewhere = 'page';

const choices = [
  { value: 'pm_card_visa', title: 'Visa •••• 4242', text: 'Every charge succeeds.' },
  { value: 'pm_card_chargeDeclined', title: 'Visa •••• 0341', text: 'Saved, then declined when charged.' },
  { value: elsewhere, title: 'Another one', text: 'On the payment processor’s page.' },
];

/** Saves a card: in development a test card, elsewhere one that is entered on the processor's own page. */
export function AddCard({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title="Add a card" open={open} onClose={onClose}>
      <AddCardForm onClose={onClose} />
    </Dialog>
  );
}

function AddCardForm({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [choice, setChoice] = useState(pageFacts.isDevelopment ? 'pm_card_visa' : elsewhere);
  const isElsewhere = choice === elsewhere;
  const add = useMutation({
    mutationFn: async () => {
      if (!isElsewhere) return agora.vault.addPaymentMethod({ paymentMethodId: choice });
      const { url } = await agora.vault.openPaymentMethodPage({ returnUrl: location.href });
      // The button stays busy until the other page is there.
      location.assign(url);
      return new Promise<never>(() => {});
    },
    onSuccess: (card) => {
      say(`${cardName(card)} saved.`);
      onClose();
      return client.invalidateQueries({ queryKey: cardsQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!add.isPending) add.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {pageFacts.isDevelopment ? (
        <ChoiceCards legend="Test card" name="card" value={choice} onChange={setChoice} options={choices} />
      ) : (
        <p>You enter the card on the payment processor’s own page and come back here. Agora never sees its number.</p>
      )}
      <Failure error={add.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={add.isPending}>
          {isElsewhere ? 'Go to the page' : 'Save card'}
        </Button>
      </div>
    </form>
  );
}
