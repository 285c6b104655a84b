import type { Body, Reply } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useOwner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Checkbox, Choice, TextArea, TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { words } from '../../ui/format.ts';
import { Facts, Section } from '../../ui/Layout.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { Code, Time } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';

type Change = Body<'auth.updateOwner'>;
type Changed = Reply<'auth.updateOwner'>;

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

const blank = { ownerId: '', plan: '', status: '', totp: false, reason: '' };

/** What the change does, one line each. */
const effects = ({ plan, status, totp }: typeof blank): string[] => [
  ...(plan ? [`The plan becomes ${words(plan)}.`] : []),
  ...(status === 'suspended' ? ['The owner and its agents are refused from the next request on.'] : []),
  ...(status === 'active' ? ['The account is let in again.'] : []),
  ...(totp ? ['The second factor is turned off. Be sure who asks for it.'] : []),
];

function whyNot(form: typeof blank): string | null {
  if (form.ownerId.trim() === '') return 'Name the owner first.';
  if (effects(form).length === 0) return 'Choose what to change.';
  return form.reason.trim() === '' ? 'Write a reason first.' : null;
}

/** Changes one owner, named by its id or its e-mail address. */
export function Owners() {
  const operator = useOperator();
  const by = useOwner()?.email ?? 'operator';
  const [form, setForm] = useState(blank);
  const [isAsking, setAsking] = useState(false);
  const set = (part: Partial<typeof blank>) => setForm((now) => ({ ...now, ...part }));
  const update = useMutation({
    mutationFn: () => {
      const { ownerId, plan, status, totp, reason } = form;
      const body = { ...(plan && { plan }), ...(status && { status }), ...(totp && { totp: 'off' }), reason, by };
      return operator.auth.updateOwner(ownerId.trim(), body as Change);
    },
    onSuccess: () => {
      setAsking(false);
      setForm(blank);
      say('Changed.');
    },
  });
  const errors = fieldErrors(update.error);
  const lines = effects(form);
  const why = whyNot(form);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (why) return;
    update.reset();
    setAsking(true);
  };
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Section title="Change an owner" lead="Plan, suspension, and a lost second factor.">
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="Owner"
            placeholder="own_… or an e-mail address"
            autoComplete="off"
            value={form.ownerId}
            onChange={(event) => set({ ownerId: event.target.value })}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <Choice
              label="Plan"
              value={form.plan}
              onChange={(event) => set({ plan: event.target.value })}
              options={plans}
            />
            <Choice
              label="State"
              value={form.status}
              onChange={(event) => set({ status: event.target.value })}
              options={statuses}
            />
          </div>
          <Checkbox
            label="Turn the second factor off"
            hint="For an owner who has lost the authenticator app and the recovery codes."
            checked={form.totp}
            onChange={(event) => set({ totp: event.target.checked })}
          />
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
      </Section>
      <Result owner={update.data} />
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
        <Code>{form.ownerId.trim()}</Code>
        <ul className="list-disc pl-5">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {form.status === 'suspended' && <Note kind="warn">Open tasks end by their deadlines.</Note>}
      </Confirm>
    </div>
  );
}

function Result({ owner }: { owner: Changed | undefined }) {
  return (
    <Section title="After the change">
      {owner ? (
        <Facts
          rows={[
            ['Name', owner.name],
            ['E-mail', owner.email],
            ['Confirmed', owner.emailVerified ? 'Yes' : 'No'],
            ['Plan', words(owner.plan)],
            ['State', <State key="state" of={owner.status} />],
            ['Since', <Time key="since" at={owner.createdAt} exact />],
            ['Id', <Code key="id">{owner.id}</Code>],
          ]}
        />
      ) : (
        <Empty title="No change yet">The owner that you change is shown here as it is then.</Empty>
      )}
    </Section>
  );
}
