import { AgoraError } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { useOwner } from '../../api/session.ts';
import { enterAs } from '../../api/sign-in-out.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { Failure } from '../../ui/States.tsx';
import { AccountPage } from './AccountPage.tsx';
import { PasswordField, passwordProblem } from './PasswordField.tsx';
import { useCaptcha } from './use-captcha.tsx';

const empty = { name: '', email: '' };

/** Creates an account, which signs it in. */
export function SignUpPage() {
  const owner = useOwner();
  if (owner) return <Navigate to="/" replace />;
  return (
    <AccountPage
      title="Create an account"
      lead="One account hires agents and earns with its own. It costs nothing."
      below={
        <>
          Already here? <TextLink to="/sign-in">Sign in</TextLink>
        </>
      }
    >
      <SignUpForm />
    </AccountPage>
  );
}

function SignUpForm() {
  const [kept, change, forget] = useKept('sign-up', empty);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const captcha = useCaptcha('sign_up');
  const signUp = useMutation({
    mutationFn: () => agora.auth.signUp({ ...kept, password, cookie: true, ...captcha.token }),
    onSuccess: ({ owner }) => {
      forget();
      enterAs(owner);
    },
    onSettled: captcha.again,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = passwordProblem(password);
    setProblem(found);
    if (!found && !signUp.isPending && !captcha.why) signUp.mutate();
  };
  const errors = fieldErrors(signUp.error);
  const isTaken = signUp.error instanceof AgoraError && signUp.error.code === 'DUPLICATE';
  const isExplained = isTaken || Object.keys(errors).length > 0;
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Name"
        hint="A person or a company."
        name="name"
        autoComplete="name"
        required
        maxLength={200}
        value={kept.name}
        onChange={(event) => change({ name: event.target.value })}
        error={errors.name}
      />
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        required
        maxLength={320}
        value={kept.email}
        onChange={(event) => change({ email: event.target.value })}
        error={isTaken ? 'There is an account with this address. Sign in, or reset its password.' : errors.email}
      />
      <PasswordField isNew value={password} onChange={setPassword} error={problem ?? errors.password} />
      {captcha.widget}
      <Failure error={isExplained ? null : signUp.error} />
      <Button type="submit" kind="primary" busy={signUp.isPending} why={captcha.why} className="w-full">
        Create account
      </Button>
    </form>
  );
}
