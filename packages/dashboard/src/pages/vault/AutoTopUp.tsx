import { topUpRange } from '@agora/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { MoneyField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { amountText, centsOf, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { cardName, cardsQuery, type PoolOf, poolQuery } from './data.ts';

type Settings = PoolOf['autoTopUp'];

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

/** Why these settings cannot stand; null if they can. */
function problemOf(threshold: number | null, reload: number | null): string | null {
  if (threshold === null || reload === null) return 'Write both amounts first.';
  if (reload < topUpRange.min || reload > topUpRange.max)
    return `One top-up is ${money(topUpRange.min)} to ${money(topUpRange.max)}.`;
  if (reload < threshold) return 'It must add at least the threshold, so that one charge is enough.';
  return null;
}

function AutoTopUpForm({ now }: { now: Settings }) {
  const client = useQueryClient();
  const card = useQuery(cardsQuery).data?.find(({ isDefault }) => isDefault);
  const [threshold, setThreshold] = useState(amountText(now.threshold || 1_000));
  const [reload, setReload] = useState(amountText(now.reloadAmount || 2_500));
  const [isAsking, setAsking] = useState(false);
  const set = useMutation({
    mutationFn: (body: Settings) => agora.vault.setAutoTopUp(body),
    onSuccess: (autoTopUp) => {
      setAsking(false);
      client.setQueryData(poolQuery.queryKey, (pool) => pool && { ...pool, autoTopUp });
      say(autoTopUp.enabled ? 'Auto-top-up is on.' : 'Auto-top-up is off.');
    },
  });
  const cents = { threshold: centsOf(threshold), reloadAmount: centsOf(reload) };
  const problem = problemOf(cents.threshold, cents.reloadAmount);
  const errors = fieldErrors(set.error);
  const isSame = now.enabled && cents.threshold === now.threshold && cents.reloadAmount === now.reloadAmount;
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
            error={
              errors.reloadAmount ??
              (cents.reloadAmount !== null && cents.threshold !== null ? (problem ?? undefined) : undefined)
            }
          />
        </div>
        <p className="text-small text-faint">
          A declined charge is tried again after 1 hour, 6 hours and 24 hours; you are told each time. The fourth
          decline in a row turns this off. There is no limit per month: a busy pool is refilled as often as it runs low.
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
        onConfirm={() => set.mutate({ enabled: true, threshold: cents.threshold!, reloadAmount: cents.reloadAmount! })}
      >
        <p>
          Whenever the pool has less than {money(cents.threshold ?? 0)}, {card && cardName(card)} is charged{' '}
          {money(cents.reloadAmount ?? 0)}. If it has less now, the first charge comes at once.
        </p>
      </Confirm>
    </>
  );
}
