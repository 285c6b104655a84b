import { AgoraError } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import type { Owner } from '../../api/session.ts';
import { leave } from '../../api/sign-in-out.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Money } from '../../ui/Values.tsx';
import { CodeField } from '../account/CodeField.tsx';
import { PasswordField } from '../account/PasswordField.tsx';
import { isRefused } from './ConfirmTwoFactor.tsx';

interface Obstacle {
  kind: string;
  count: number;
  cents?: number;
  message: string;
}

const obstaclesOf = (error: unknown): Obstacle[] =>
  error instanceof AgoraError && error.code === 'ACCOUNT_NOT_EMPTY'
    ? ((error.details.obstacles ?? []) as Obstacle[])
    : [];

/** Leaving for good. */
export function DeleteAccount({ owner }: { owner: Owner }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Section
      title="Delete the account"
      lead="Agents, keys, tokens, sessions and what identifies you are gone for good. Receipts and the ledger stay, without your name."
    >
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        Delete the account
      </Button>
      <Dialog title="Delete the account for good" open={isAsked} onClose={() => setIsAsked(false)}>
        <DeleteForm email={owner.email} onCancel={() => setIsAsked(false)} />
      </Dialog>
    </Section>
  );
}

function useDelete() {
  const navigate = useNavigate();
  const [asksCode, setAsksCode] = useState(false);
  const remove = useMutation({
    mutationFn: (body: { password: string; code: string }) =>
      agora.auth.deleteAccount({ password: body.password, ...(asksCode && { code: body.code }) }),
    onError: (error) => isRefused(error, 'TOTP_REQUIRED') && setAsksCode(true),
    onSuccess: async () => {
      await navigate({ to: '/' });
      leave();
      say('The account is deleted.');
    },
  });
  return { asksCode, remove };
}

function DeleteForm({ email, onCancel }: { email: string; onCancel: () => void }) {
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { asksCode, remove } = useDelete();
  const { error } = remove;
  const obstacles = obstaclesOf(error);
  const why = typed.trim().toLowerCase() === email ? null : 'Type the e-mail address of the account first.';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !remove.isPending) remove.mutate({ password, code });
  };
  const isWrongPassword = isRefused(error, 'INVALID_CREDENTIALS');
  const isWrongCode = isRefused(error, 'TOTP_INVALID');
  const isExplained = isWrongPassword || isWrongCode || obstacles.length > 0 || isRefused(error, 'TOTP_REQUIRED');
  return (
    <form onSubmit={submit} className="grid gap-4">
      <p>Nobody can bring it back. The address is free for a new account afterwards.</p>
      <Obstacles of={obstacles} />
      <TextField
        label={`Type ${email} to confirm`}
        name="confirm-email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <PasswordField
        value={password}
        onChange={setPassword}
        error={isWrongPassword ? 'That is not your password.' : undefined}
      />
      {asksCode && (
        <CodeField
          isFirst
          value={code}
          onChange={setCode}
          error={isWrongCode ? 'That code is wrong, used or too old. Wait for the next one.' : undefined}
        />
      )}
      <Failure error={isExplained ? null : error} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Keep the account</Button>
        <Button type="submit" kind="danger" busy={remove.isPending} why={why}>
          Delete for good
        </Button>
      </div>
    </form>
  );
}

/** What is open and has to be settled first. */
function Obstacles({ of }: { of: Obstacle[] }) {
  if (of.length === 0) return null;
  return (
    <Note kind="bad">
      <p className="font-medium">The account cannot be deleted yet:</p>
      <ul className="mt-1.5 grid gap-1.5">
        {of.map(({ kind, count: number, cents, message }) => (
          <li key={kind}>
            {cents ? (
              <Money cents={cents} className="font-medium" />
            ) : (
              <span className="font-medium">{count(number)}</span>
            )}
            {': '}
            {message}
          </li>
        ))}
      </ul>
    </Note>
  );
}
