import type { Body, Reply } from '@agora-market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useOwner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Checkbox, Choice, TextArea } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Code } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';

type Change = Body<'auth.updateOwner'>;

const plans = [
  ['', 'Leave as it is'],
  ['free', 'Free'],
  ['pro', 'Pro'],
  ['enterprise', 'Enterprise'],
] as const;
const statuses = [
  ['', 'Leave as it is'],
  ['active', 'Active'],
  ['suspended', 'Suspended'],
] as const;

const blank = { plan: '', status: '', verified: false, totp: false, reason: '' };

/** What the change does, one line each. */
const effects = ({ plan, status, verified, totp }: typeof blank): string[] => [
  ...(plan ? [`The plan becomes ${words(plan)}.`] : []),
  ...(status === 'suspended' ? ['The owner and its agents are refused from the next request on.'] : []),
  ...(status === 'active' ? ['The account is let in again.'] : []),
  ...(verified ? ['The e-mail address counts as verified.'] : []),
  ...(totp ? ['The second factor is turned off. Be sure who asks for it.'] : []),
];

function whyNot(form: typeof blank): string | null {
  if (effects(form).length === 0) return 'Choose what to change.';
  return form.reason.trim() === '' ? 'Write a reason first.' : null;
}

/** Changes an owner's plan and state, marks its address as verified, and turns a lost second factor off. */
export function ChangeOwner({
  owner: { id, name, plan, status, emailVerified },
  secondFactor,
}: Reply<'operator.owner'>) {
  const operator = useOperator();
  const client = useQueryClient();
  const by = useOwner()?.email ?? 'operator';
  const [form, setForm] = useState(blank);
  const [isAsking, setAsking] = useState(false);
  const set = (part: Partial<typeof blank>) => setForm((now) => ({ ...now, ...part }));
  const update = useMutation({
    mutationFn: () => {
      const body = {
        ...(form.plan && { plan: form.plan }),
        ...(form.status && { status: form.status }),
        ...(form.verified && { emailVerified: true }),
        ...(form.totp && { totp: 'off' }),
      };
      return operator.auth.updateOwner(id, { ...body, reason: form.reason, by } as Change);
    },
    onSuccess: () => {
      setAsking(false);
      setForm(blank);
      say('Changed.');
      return client.invalidateQueries({ queryKey: ['operator'] });
    },
  });
  const errors = fieldErrors(update.error);
  const why = whyNot(form);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (why) return;
    update.reset();
    setAsking(true);
  };
  return (
    <Section title="Change this owner">
      <form onSubmit={submit} className="grid gap-4">
        <Choice
          label="Plan"
          value={form.plan}
          onChange={(event) => set({ plan: event.target.value })}
          options={plans.filter(([each]) => each !== plan)}
        />
        <Choice
          label="State"
          value={form.status}
          onChange={(event) => set({ status: event.target.value })}
          options={statuses.filter(([each]) => each !== status)}
        />
        {!emailVerified && (
          <Checkbox
            label="Mark the address as verified"
            hint="Where the server sends no mail."
            checked={form.verified}
            onChange={(event) => set({ verified: event.target.checked })}
          />
        )}
        {secondFactor && (
          <Checkbox
            label="Turn the second factor off"
            hint="For an owner who has lost the authenticator app and the recovery codes."
            checked={form.totp}
            onChange={(event) => set({ totp: event.target.checked })}
          />
        )}
        <TextArea
          label="Reason"
          hint="For the owner and the audit trail."
          maxLength={1000}
          value={form.reason}
          onChange={(event) => set({ reason: event.target.value })}
          error={errors.reason}
        />
        <div>
          <Button type="submit" kind="primary" why={why}>
            Change
          </Button>
        </div>
      </form>
      <Confirm
        title="Change this owner"
        open={isAsking}
        onClose={() => setAsking(false)}
        verb={form.status === 'suspended' ? 'Suspend' : 'Change'}
        danger={form.status === 'suspended' || form.totp}
        busy={update.isPending}
        error={update.error}
        onConfirm={() => update.mutate()}
      >
        <p>
          <bdi>{name}</bdi> <Code>{id}</Code>
        </p>
        <ul className="list-disc pl-5">
          {effects(form).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {form.status === 'suspended' && <Note kind="warn">Open tasks end by their deadlines.</Note>}
      </Confirm>
    </Section>
  );
}
