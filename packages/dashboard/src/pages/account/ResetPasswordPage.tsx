import type { Credential } from '@agora-market/contract';
import { AgoraError, type Reply } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { date, words } from '../../ui/format.ts';
import { Failure } from '../../ui/States.tsx';
import { AccountPage } from './AccountPage.tsx';
import { PasswordField, passwordProblem } from './PasswordField.tsx';
import { useMailedToken } from './use-mailed-token.ts';

/** Sets a new password by the link of a mail. */
export function ResetPasswordPage() {
  const token = useMailedToken();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const reset = useMutation({
    mutationFn: (mailed: string) => agora.auth.resetPassword({ token: mailed, password }),
    onSuccess: () => setPassword(''),
  });
  const isSpent = reset.error instanceof AgoraError && reset.error.code === 'MAILED_TOKEN_INVALID';
  if (reset.isSuccess) return <Changed {...reset.data} />;
  if (token === undefined || isSpent) return <LinkNeeded isSpent={isSpent} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = passwordProblem(password);
    setProblem(found);
    if (!found && !reset.isPending) reset.mutate(token);
  };
  const errors = fieldErrors(reset.error);
  return (
    <AccountPage title="Set a new password" lead="It ends all sessions of the account.">
      <form onSubmit={submit} className="grid gap-4">
        <PasswordField
          isNew
          label="New password"
          value={password}
          onChange={setPassword}
          error={problem ?? errors.password}
        />
        <Failure error={errors.password ? null : reset.error} />
        <Button type="submit" kind="primary" busy={reset.isPending} className="w-full">
          Set password
        </Button>
      </form>
    </AccountPage>
  );
}

/** Says what has ended with the old password, and lets the owner end what has not. */
function Changed({ ended, kept, endToken }: Reply<'auth.resetPassword'>) {
  const end = useMutation({ mutationFn: (token: string) => agora.auth.endCredentials({ token }) });
  const goesOn = end.isSuccess ? [] : kept;
  const gone = end.isSuccess ? kept : ended;
  return (
    <AccountPage title="Your password is changed">
      <div role="status" className="grid gap-4">
        <p>All sessions of the account are ended. Sign in with the new password.</p>
        {gone.length > 0 && (
          <>
            <p>These are ended too. Agents among them need a new key.</p>
            <Credentials all={gone} />
          </>
        )}
        {goesOn.length > 0 && endToken !== null && (
          <>
            <p>These go on. If you do not know one of them, somebody else may have made it: end them all.</p>
            <Credentials all={goesOn} />
            <Failure error={end.error} />
            <Button kind="danger" busy={end.isPending} onClick={() => end.mutate(endToken)}>
              End all of these
            </Button>
          </>
        )}
        <ButtonLink kind="primary" to="/sign-in">
          Sign in
        </ButtonLink>
      </div>
    </AccountPage>
  );
}

const Credentials = ({ all }: { all: readonly Credential[] }) => (
  <ul className="grid gap-2">
    {all.map(({ kind, name, createdAt, lastUsedAt }) => (
      <li key={`${kind} ${name} ${createdAt}`} className="min-w-0 break-words">
        {words(kind)}: {name}
        <p className="text-soft">
          since {date(createdAt)}
          {lastUsedAt && `, last used ${date(lastUsedAt)}`}
        </p>
      </li>
    ))}
  </ul>
);

function LinkNeeded({ isSpent }: { isSpent: boolean }) {
  return (
    <AccountPage
      title={isSpent ? 'This link does not count any more' : 'Open the link of the mail'}
      below={<TextLink to="/sign-in">Back to sign in</TextLink>}
    >
      <div role={isSpent ? 'alert' : undefined} className="grid gap-4">
        <p>
          {isSpent
            ? 'It was used, a newer one was, or an hour has passed. Your password is as it was.'
            : 'This page sets a new password with the link that was mailed to you. A reload needs the link again.'}
        </p>
        <ButtonLink kind="primary" to="/forgot-password">
          Mail me another link
        </ButtonLink>
      </div>
    </AccountPage>
  );
}
