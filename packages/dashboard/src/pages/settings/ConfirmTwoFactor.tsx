import { AgoraError } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Failure } from '../../ui/States.tsx';
import { CodeField } from '../account/CodeField.tsx';
import { PasswordField } from '../account/PasswordField.tsx';

export const isRefused = (error: unknown, code: string): boolean => error instanceof AgoraError && error.code === code;

interface ConfirmTwoFactorProps<T> {
  text: string;
  verb: string;
  danger?: boolean;
  act: (body: { password: string; code: string }) => PromiseLike<T>;
  onDone: (reply: T) => void;
}

/** Asks for password and code before something about the second factor changes. */
export function ConfirmTwoFactor<T>({ text, verb, danger, act, onDone }: ConfirmTwoFactorProps<T>) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const confirm = useMutation({ mutationFn: async () => act({ password, code }), onSuccess: onDone });
  const { error } = confirm;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!confirm.isPending) confirm.mutate();
  };
  const isWrongPassword = isRefused(error, 'INVALID_CREDENTIALS');
  const isWrongCode = isRefused(error, 'TOTP_INVALID');
  return (
    <form onSubmit={submit} className="grid gap-4">
      <p className="text-soft">{text}</p>
      <PasswordField
        isFirst
        value={password}
        onChange={setPassword}
        error={isWrongPassword ? 'That is not your password.' : undefined}
      />
      <CodeField
        value={code}
        onChange={setCode}
        error={isWrongCode ? 'That code is wrong, used or too old. Wait for the next one.' : undefined}
      />
      <Failure error={isWrongPassword || isWrongCode ? null : error} />
      <div className="flex justify-end">
        <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={confirm.isPending}>
          {verb}
        </Button>
      </div>
    </form>
  );
}
