import { withdrawalRange } from '@agora-market/contract';
import type { OwnAgent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { usePayOnce } from '../../api/pay-once.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, waitFirst } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { centsOf, money } from '../../ui/format.ts';
import { Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { payoutAccountQuery, walletQuery } from './data.ts';
import { AmountField, Outcome } from './MoveDialog.tsx';
import { OnboardButton } from './Payouts.tsx';

const { min, max } = withdrawalRange;

const sentWords = {
  held: 'is over the daily limit and waits for the operator.',
  pending: 'is on its way to your bank.',
  paid: 'is on its way to your bank.',
  failed: 'could not be sent.',
} as const;

/** Why the amount cannot be withdrawn; null if it can. */
function problemOf(cents: number | null, have: number | undefined): string | null {
  if (cents === null) return 'Write an amount first.';
  if (cents < min) return `The smallest withdrawal is ${money(min)}.`;
  if (cents > max) return `The largest withdrawal is ${money(max)}.`;
  if (have !== undefined && cents > have) return `Only ${money(have)} can be withdrawn now.`;
  return null;
}

/** Sends what an agent earned to the owner's bank. */
export function WithdrawDialog({ agent, onClose }: { agent: OwnAgent; onClose: () => void }) {
  const [amount, setAmount] = useState('');
  const wallet = useQuery(walletQuery(agent.id)).data;
  const have = wallet?.withdrawable;
  const account = useQuery(payoutAccountQuery).data;
  const cents = centsOf(amount);
  const isReady = account?.payoutsEnabled ?? true;
  const pay = usePayOnce(
    `withdraw.${agent.id}`,
    (body: { amount: number }, options) => agora.vault.withdraw(agent.id, body, options),
    ({ amount: sent, status }) => {
      onClose();
      say(`${money(sent)} ${sentWords[status]}`);
    },
  );
  const isRepeat = pay.repeats({ amount: cents ?? 0 });
  const problem = problemOf(cents, isRepeat ? undefined : have);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!problem && isReady && cents !== null) pay.pay({ amount: cents });
  };
  return (
    <Dialog title={`Withdraw from ${agent.displayName}`} open onClose={onClose} busy={pay.busy}>
      <form onSubmit={submit} className="grid gap-4">
        {!isReady && (
          <div className="grid justify-items-start gap-3">
            <Note kind="warn">Tell the payment processor first where your money goes.</Note>
            <OnboardButton />
          </div>
        )}
        <AmountField
          have={isRepeat ? undefined : have}
          most={max}
          value={amount}
          onChange={setAmount}
          error={fieldErrors(pay.error).amount ?? (cents === null ? undefined : (problem ?? undefined))}
        />
        <Facts
          rows={[
            ['To', 'Your bank account'],
            ['Fee', 'None: the platform’s share was taken when tasks were paid'],
            ['Left in the wallet', wallet && <Money key="left" cents={Math.max(0, wallet.available - (cents ?? 0))} />],
            [
              'Allocated: goes back to the pool',
              wallet && wallet.allocated > 0 && <Money key="allocated" cents={wallet.allocated} />,
            ],
            ['More can be withdrawn', wallet?.nextPayableAt && <Time key="next" at={wallet.nextPayableAt} />],
          ]}
        />
        <p className="text-small text-faint">
          The bank takes some days. If it refuses, the amount comes back to the wallet.
        </p>
        <Outcome error={pay.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} why={pay.busy ? waitFirst : null}>
            Cancel
          </Button>
          <Button
            type="submit"
            kind="primary"
            busy={pay.busy}
            why={isReady ? problem : 'Set up the payout account first.'}
          >
            {cents ? `Withdraw ${money(cents)}` : 'Withdraw'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
