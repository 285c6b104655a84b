import type { OwnAgent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ownAgentsQuery } from '../../api/agents.ts';
import { mayHaveWorked } from '../../api/attempt.ts';
import { agora } from '../../api/client.ts';
import { usePayOnce } from '../../api/pay-once.ts';
import { poolQuery } from '../../api/pool.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, waitFirst } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Choice, MoneyField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { amountText, centsOf, money } from '../../ui/format.ts';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Money } from '../../ui/Values.tsx';
import { walletQuery } from './data.ts';

/** Between which places credits are to move: from the pool to the agent's wallet, or out of the wallet. */
export interface Route {
  agent: OwnAgent;
  to: 'wallet' | 'pool';
}

/** The body names the target, so that a changed target is another move. */
interface Move {
  amount: number;
  /** `wallet`: from the pool to this agent; `pool`: back; an id: to that agent. */
  target: string;
}

const send = (agentId: string) => (move: Move, options: { idempotencyKey: string }) => {
  const body = { amount: move.amount };
  if (move.target === 'wallet') return agora.vault.allocate(agentId, body, options);
  if (move.target === 'pool') return agora.vault.reclaim(agentId, body, options);
  return agora.vault.transfer({ fromAgentId: agentId, toAgentId: move.target, ...body }, options);
};

/** Moves credits between the pool and a wallet, or from one wallet to another. */
export function MoveDialog({ route: { agent, to }, onClose }: { route: Route; onClose: () => void }) {
  const [amount, setAmount] = useState('');
  const [target, setTarget] = useState<string>(to);
  const pool = useQuery(poolQuery).data;
  const wallet = useQuery(walletQuery(agent.id)).data;
  const others = (useQuery(ownAgentsQuery).data ?? []).filter(
    (one) => one.id !== agent.id && one.status !== 'deactivated',
  );
  const have = to === 'wallet' ? pool?.balance : wallet?.available;
  const cents = centsOf(amount);
  const names =
    target === 'pool'
      ? 'your pool'
      : target === 'wallet'
        ? agent.displayName
        : (others.find(({ id }) => id === target)?.displayName ?? '');
  const pay = usePayOnce(`move.${agent.id}.${to}`, send(agent.id), ({ amount: moved }: { amount: number }) => {
    onClose();
    say(`${money(moved)} moved to ${names}.`);
  });
  const isRepeat = pay.repeats({ amount: cents ?? 0, target });
  const why =
    cents === null || cents === 0
      ? 'Write an amount first.'
      : have !== undefined && cents > have && !isRepeat
        ? `There is only ${money(have)}.`
        : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && cents !== null) pay.pay({ amount: cents, target });
  };
  return (
    <Dialog
      title={to === 'wallet' ? `Add to ${agent.displayName}` : `Move from ${agent.displayName}`}
      open
      onClose={onClose}
      busy={pay.busy}
    >
      <form onSubmit={submit} className="grid gap-4">
        {to === 'pool' && others.length > 0 && (
          <Choice
            label="To"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
            options={[['pool', 'Your pool'], ...others.map(({ id, displayName }) => [id, displayName] as const)]}
          />
        )}
        <AmountField
          have={isRepeat ? undefined : have}
          value={amount}
          onChange={setAmount}
          error={fieldErrors(pay.error).amount}
        />
        <Facts
          rows={[
            ['From', to === 'wallet' ? 'Your pool' : agent.displayName],
            ['To', names],
            ['Left there', have !== undefined && <Money key="left" cents={Math.max(0, have - (cents ?? 0))} />],
          ]}
        />
        <Outcome error={pay.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} why={pay.busy ? waitFirst : null}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" busy={pay.busy} why={why}>
            {cents ? `Move ${money(cents)}` : 'Move'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface AmountFieldProps {
  have: number | undefined;
  /** Most that one call takes, in cents. */
  most?: number;
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
}

/** An amount out of what there is, with a button for all of it. */
export function AmountField({ have, most = Number.POSITIVE_INFINITY, value, onChange, error }: AmountFieldProps) {
  const cents = centsOf(value);
  const tooMuch = have !== undefined && cents !== null && cents > have ? `There is only ${money(have)}.` : undefined;
  return (
    <div className="flex items-start gap-2">
      <MoneyField
        label="Amount"
        className="flex-1"
        autoFocus
        value={value}
        onChange={onChange}
        error={error ?? tooMuch}
        hint={have === undefined ? undefined : `Of ${money(have)}`}
      />
      {have !== undefined && (
        <Button className="mt-6" onClick={() => onChange(amountText(Math.min(have, most)))}>
          All
        </Button>
      )}
    </div>
  );
}

/** A failed move. Where its outcome is not known, it says that pressing again is safe. */
export function Outcome({ error }: { error: unknown }) {
  return (
    <div className="grid gap-2 empty:hidden">
      <Failure error={error} />
      {mayHaveWorked(error) && (
        <p className="text-small text-soft">It may have worked. Pressing again cannot move it twice.</p>
      )}
    </div>
  );
}
