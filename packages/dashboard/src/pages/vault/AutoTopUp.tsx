import { topUpRange } from '@agora-market/contract';
import type { Reply } from '@agora-market/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { poolQuery } from '../../api/pool.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { MoneyField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { amountText, centsOf, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { cardName, cardsQuery } from './data.ts';

type Settings = Reply<'vault.getPool'>['autoTopUp'];

/** Refills the pool by itself. */
export function AutoTopUp() {
  const pool = useQuery(poolQuery);
  return (
    <Section
      title="Auto-top-up"
      lead="Charges your default card whenever the pool falls below a threshold."
      actions={pool.data && <OnOff isOn={pool.data.autoTopUp.enabled} />}
    >
      <Loaded query={pool}>{({ autoTopUp }) => <AutoTopUpForm now={autoTopUp} />}</Loaded>
    </Section>
  );
}

const OnOff = ({ isOn }: { isOn: boolean }) =>
  isOn ? <Status tone="good">On</Status> : <Status tone="calm">Off</Status>;

/** Five reloads a day and twenty a month, until the owner says otherwise. */
const usualCaps = (reload: number) => ({ maxPerDay: 5 * reload, maxPerMonth: 20 * reload });

type Amounts = { [K in Exclude<keyof Settings, 'enabled'>]: number | null };

/** Why these settings cannot stand; null if they can. */
function problemOf({ threshold, reloadAmount: reload, maxPerDay, maxPerMonth }: Amounts): string | null {
  if (threshold === null || reload === null || maxPerDay === null || maxPerMonth === null)
    return 'Write all amounts first.';
  if (reload < topUpRange.min || reload > topUpRange.max)
    return `One top-up is ${money(topUpRange.min)} to ${money(topUpRange.max)}.`;
  if (reload < threshold) return 'It must add at least the threshold, so that one charge is enough.';
  if (maxPerDay < reload) return 'The maximum per day must be at least one top-up.';
  if (maxPerMonth < maxPerDay) return 'The maximum per month must be at least that per day.';
  return null;
}

function AutoTopUpForm({ now }: { now: Settings }) {
  const client = useQueryClient();
  const card = useQuery(cardsQuery).data?.find(({ isDefault }) => isDefault);
  const [threshold, setThreshold] = useState(amountText(now.threshold || 1_000));
  const [reload, setReload] = useState(amountText(now.reloadAmount || 2_500));
  const usual = usualCaps(now.reloadAmount || 2_500);
  const [perDay, setPerDay] = useState(amountText(now.maxPerDay ?? usual.maxPerDay));
  const [perMonth, setPerMonth] = useState(amountText(now.maxPerMonth ?? usual.maxPerMonth));
  const [isAsking, setAsking] = useState(false);
  const set = useMutation({
    mutationFn: (body: Settings) => agora.vault.setAutoTopUp(body),
    onSuccess: (autoTopUp) => {
      setAsking(false);
      client.setQueryData(poolQuery.queryKey, (pool) => pool && { ...pool, autoTopUp });
      say(autoTopUp.enabled ? 'Auto-top-up is on.' : 'Auto-top-up is off.');
    },
  });
  const cents = {
    ...{ threshold: centsOf(threshold), reloadAmount: centsOf(reload) },
    ...{ maxPerDay: centsOf(perDay), maxPerMonth: centsOf(perMonth) },
  };
  const problem = problemOf(cents);
  const errors = fieldErrors(set.error);
  const isSame = now.enabled && (Object.keys(cents) as (keyof Amounts)[]).every((key) => cents[key] === now[key]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem || isSame || !card) return;
    set.reset();
    setAsking(true);
  };
  return (
    <>
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <MoneyField
            label="When the pool falls below"
            value={threshold}
            onChange={setThreshold}
            error={errors.threshold}
          />
          <MoneyField
            label="Add"
            value={reload}
            onChange={setReload}
            error={errors.reloadAmount ?? (Object.values(cents).includes(null) ? undefined : (problem ?? undefined))}
          />
          <MoneyField label="At most in 24 hours" value={perDay} onChange={setPerDay} error={errors.maxPerDay} />
          <MoneyField label="At most in 30 days" value={perMonth} onChange={setPerMonth} error={errors.maxPerMonth} />
        </div>
        <p className="text-small text-faint">
          Beyond these two your card is charged nothing, and you are told when it goes on. A declined charge is tried
          again after 1 hour, 6 hours and 24 hours; you are told each time. The fourth decline in a row turns this off.
        </p>
        {!isAsking && <Failure error={set.error} />}
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            kind="primary"
            why={!card ? 'Add a card first.' : (problem ?? (isSame ? 'Nothing has changed.' : null))}
          >
            {now.enabled ? 'Save' : 'Turn on'}
          </Button>
          {now.enabled && (
            <Button busy={set.isPending} onClick={() => set.mutate({ ...now, enabled: false })}>
              Turn off
            </Button>
          )}
        </div>
      </form>
      <Confirm
        title="Turn auto-top-up on"
        open={isAsking}
        onClose={() => setAsking(false)}
        verb={`Charge ${money(cents.reloadAmount ?? 0)} when low`}
        busy={set.isPending}
        error={set.error}
        onConfirm={() => set.mutate({ enabled: true, ...(cents as { [K in keyof Amounts]: number }) })}
      >
        <p>
          Whenever the pool has less than {money(cents.threshold ?? 0)}, {card && cardName(card)} is charged{' '}
          {money(cents.reloadAmount ?? 0)}, at most {money(cents.maxPerDay ?? 0)} in 24 hours and{' '}
          {money(cents.maxPerMonth ?? 0)} in 30 days. If it has less now, the first charge comes at once.
        </p>
      </Confirm>
    </>
  );
}
