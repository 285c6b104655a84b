import { topUpRange } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { usePayOnce } from '../../api/pay-once.ts';
import { poolQuery } from '../../api/pool.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Columns, Facts } from '../../ui/Facts.tsx';
import { MoneyField } from '../../ui/Field.tsx';
import { useKept } from '../../ui/form.ts';
import { amountText, centsOf, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Money } from '../../ui/Values.tsx';
import { AutoTopUp } from './AutoTopUp.tsx';
import { Cards } from './Cards.tsx';
import { cardName, cardsQuery, isExpired } from './data.ts';
import { TopUpHistory } from './TopUpHistory.tsx';

/** How credits come in. */
export function TopUp() {
  return (
    <Columns aside={<Cards />}>
      <TopUpForm />
      <AutoTopUp />
      <TopUpHistory />
    </Columns>
  );
}

const presets = [1_000, 2_500, 5_000, 10_000, 25_000];
const nothing = { amount: '' };
const { min, max } = topUpRange;

/** Why this amount cannot be charged; null if it can. */
const amountProblem = (text: string): string | null => {
  const cents = centsOf(text);
  if (cents === null) return 'Write an amount first.';
  if (cents < min) return `The smallest top-up is ${money(min)}.`;
  if (cents > max) return `The largest top-up is ${money(max)}.`;
  return null;
};

function TopUpForm() {
  const [{ amount }, change, forget] = useKept('top-up', nothing);
  const [isAsking, setAsking] = useState(false);
  const pool = useQuery(poolQuery).data;
  const cards = useQuery(cardsQuery).data;
  const card = cards?.find(({ isDefault }) => isDefault);
  const cents = centsOf(amount) ?? 0;
  const pay = usePayOnce(
    'top-up',
    (body: { amount: number }, options) => agora.vault.topUp(body, options),
    ({ amountCharged, newBalance }) => {
      setAsking(false);
      forget();
      say(`${money(amountCharged)} added. The pool has ${money(newBalance)}.`);
    },
  );
  const problem = amountProblem(amount);
  const why = cards && !card ? 'Add a card first.' : problem;
  const isOdd = amount.trim() !== '' && problem !== null;
  return (
    <Section title="Top up" lead="Charges your default card at once. Credits do not expire.">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (why || !card) return;
          pay.reset();
          setAsking(true);
        }}
      >
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">Usual amounts</legend>
          {presets.map((preset) => (
            <Button
              key={preset}
              aria-pressed={cents === preset}
              className="aria-pressed:border-accent aria-pressed:bg-accent-wash"
              onClick={() => change({ amount: amountText(preset) })}
            >
              {money(preset).replace(/\.00$/, '')}
            </Button>
          ))}
        </fieldset>
        <div className="flex flex-wrap items-start gap-3">
          <MoneyField
            label="Amount"
            name="amount"
            className="w-44"
            value={amount}
            onChange={(text) => change({ amount: text })}
            error={isOdd && centsOf(amount) !== null ? problem : undefined}
            hint={`${money(min)} to ${money(max)}`}
          />
          <Button type="submit" kind="primary" className="sm:mt-6" why={why}>
            {problem ? 'Top up' : `Top up ${money(cents)}`}
          </Button>
        </div>
        {card && isExpired(card) && (
          <Note kind="warn">{cardName(card)} has expired. Add another card, or make another one the default.</Note>
        )}
      </form>
      <Confirm
        title={`Top up ${money(cents)}`}
        open={isAsking}
        onClose={() => setAsking(false)}
        verb={`Pay ${money(cents)}`}
        busy={pay.busy}
        error={pay.error}
        onConfirm={() => pay.pay({ amount: cents })}
      >
        <Facts
          rows={[
            ['Charged to', card && cardName(card)],
            ['Amount', <Money key="amount" cents={cents} />],
            ['Pool afterwards', pool && <Money key="after" cents={pool.balance + Math.max(0, cents - pool.owed)} />],
          ]}
        />
        {pool && pool.owed > 0 && (
          <Note kind="warn">
            <Money cents={Math.min(pool.owed, cents)} /> of it pays what you owe.
          </Note>
        )}
      </Confirm>
    </Section>
  );
}
