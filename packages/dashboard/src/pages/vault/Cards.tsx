import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CreditCard } from 'lucide-react';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { AddCard } from './AddCard.tsx';
import { type Card, cardName, cardsQuery, isExpired } from './data.ts';

/** The saved cards: which one is charged, and how others are added and removed. */
export function Cards() {
  const cards = useQuery(cardsQuery);
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title="Cards"
      actions={
        <Button small onClick={() => setAdding(true)}>
          Add card
        </Button>
      }
    >
      <Loaded query={cards}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-small text-soft">No card yet. Top-ups charge the default card; the first becomes it.</p>
          ) : (
            <ul className="-my-3 divide-y divide-line">
              {list.map((card) => (
                <CardRow key={card.id} card={card} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <AddCard open={isAdding} onClose={() => setAdding(false)} />
    </Section>
  );
}

function CardRow({ card }: { card: Card }) {
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: cardsQuery.queryKey });
  const makeDefault = useMutation({
    mutationFn: () => agora.vault.setDefaultPaymentMethod(card.id),
    onMutate: () => {
      const before = client.getQueryData(cardsQuery.queryKey);
      client.setQueryData(cardsQuery.queryKey, (all) => all?.map((one) => ({ ...one, isDefault: one.id === card.id })));
      return before;
    },
    onError: (_error, _none, before) => client.setQueryData(cardsQuery.queryKey, before),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => agora.vault.removePaymentMethod(card.id),
    onSuccess: () => {
      setRemoving(false);
      say(`${cardName(card)} removed.`);
      return refresh();
    },
  });
  const name = cardName(card);
  return (
    <li className="grid gap-2 py-3 text-small">
      <div className="flex items-center gap-2.5">
        <CreditCard aria-hidden className="size-4 shrink-0 text-soft" />
        <span className="figures font-medium">{name}</span>
        {card.isDefault && <Status tone="good">Default</Status>}
        {isExpired(card) && <Status tone="warn">Expired</Status>}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-2 pl-6.5">
        <span className="figures text-faint">
          Until {String(card.expMonth).padStart(2, '0')}/{String(card.expYear).slice(-2)}
        </span>
        <span className="-mr-2.5 flex">
          {!card.isDefault && (
            <Button kind="quiet" small aria-label={`Make default: ${name}`} onClick={() => makeDefault.mutate()}>
              Make default
            </Button>
          )}
          <Button
            kind="quiet"
            small
            aria-label={`Remove ${name}`}
            onClick={() => {
              remove.reset();
              setRemoving(true);
            }}
          >
            Remove
          </Button>
        </span>
      </div>
      <Failure error={makeDefault.error} />
      <Confirm
        title={`Remove ${name}`}
        open={isRemoving}
        onClose={() => setRemoving(false)}
        verb="Remove card"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        <p>It is charged no more. {card.isDefault && 'The newest of your other cards becomes the default.'}</p>
      </Confirm>
    </li>
  );
}
