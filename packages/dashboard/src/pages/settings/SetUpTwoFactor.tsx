import { useMutation } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Failure } from '../../ui/States.tsx';
import { PasswordField } from '../account/PasswordField.tsx';
import { isRefused } from './ConfirmTwoFactor.tsx';

const QrCode = lazy(() => import('./QrCode.tsx').then((module) => ({ default: module.QrCode })));

/** Password, then the secret as a picture and as text, then a first code that proves the app has it. */
export function SetUpTwoFactor({ onDone }: { onDone: (recoveryCodes: string[]) => void }) {
  const [password, setPassword] = useState('');
  const begin = useMutation({ mutationFn: () => agora.auth.beginTotp({ password }) });
  if (begin.data) return <ConfirmApp {...begin.data} onDone={onDone} />;
  const isWrong = isRefused(begin.error, 'INVALID_CREDENTIALS');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!begin.isPending) begin.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <p className="text-soft">You need an authenticator app, and your password first.</p>
      <PasswordField
        isFirst
        value={password}
        onChange={setPassword}
        error={isWrong ? 'That is not your password.' : undefined}
      />
      <Failure error={isWrong ? null : begin.error} />
      <div className="flex justify-end">
        <Button type="submit" kind="primary" busy={begin.isPending}>
          Continue
        </Button>
      </div>
    </form>
  );
}

interface ConfirmAppProps {
  secret: string;
  uri: string;
  onDone: (recoveryCodes: string[]) => void;
}

function ConfirmApp({ secret, uri, onDone }: ConfirmAppProps) {
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => agora.auth.confirmTotp({ code }),
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  });
  const isWrong = isRefused(confirm.error, 'TOTP_INVALID');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!confirm.isPending) confirm.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <p className="text-soft">Scan this with the app, or type the secret into it.</p>
      <Suspense fallback={<div className="mx-auto size-48 rounded-base bg-sunken" />}>
        <QrCode text={uri} />
      </Suspense>
      <div className="flex flex-wrap items-center justify-center gap-1 text-small">
        <code className="font-mono [overflow-wrap:anywhere]">{inFours(secret)}</code>
        <Copy text={secret} what="the secret" />
      </div>
      <TextField
        label="Code that the app shows"
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        autoFocus
        maxLength={10}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        error={isWrong ? 'That code is wrong or too old. Is the time on your phone right?' : undefined}
      />
      <Failure error={isWrong ? null : confirm.error} />
      <div className="flex justify-end">
        <Button type="submit" kind="primary" busy={confirm.isPending}>
          Turn on
        </Button>
      </div>
    </form>
  );
}

/** Easier to type from a screen. */
const inFours = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ');
