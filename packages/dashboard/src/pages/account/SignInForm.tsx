import { AgoraError } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { agora } from '../../api/client.ts';
import { enterAs } from '../../api/sign-in-out.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Failure } from '../../ui/States.tsx';
import { CodeField } from './CodeField.tsx';
import { PasswordField } from './PasswordField.tsx';
import { useCaptcha } from './use-captcha.tsx';

const has = (error: unknown, ...codes: string[]) => error instanceof AgoraError && codes.includes(error.code);

/** E-mail and password, then the code where the account has a second factor. */
function useSignIn(known: string | undefined) {
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const captcha = useCaptcha('sign_in');
  const signIn = useMutation({
    mutationFn: () => agora.auth.signIn({ email, password, cookie: true, ...(asksCode && { code }), ...captcha.token }),
    onSuccess: ({ owner }) => enterAs(owner),
    onError: (error) => {
      if (has(error, 'TOTP_REQUIRED')) setAsksCode(true);
      if (has(error, 'INVALID_CREDENTIALS')) setPassword('');
      if (has(error, 'TOTP_INVALID')) setCode('');
    },
    onSettled: captcha.again,
  });
  const back = () => {
    setAsksCode(false);
    setCode('');
    signIn.reset();
  };
  return { email, setEmail, password, setPassword, code, setCode, asksCode, back, captcha, signIn };
}

interface SignInFormProps {
  /** The address that is asked for; the only one that may sign in where it is given. */
  email?: string;
  /** Other ways out, beside the button. */
  actions?: ReactNode;
}

/** Signs in. The one who shows it goes on when the session is there. */
export function SignInForm({ email: known, actions }: SignInFormProps) {
  const form = useSignIn(known);
  const { signIn, asksCode, captcha } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!signIn.isPending && !captcha.why) signIn.mutate();
  };
  const isWrongCode = has(signIn.error, 'TOTP_INVALID');
  return (
    <form onSubmit={submit} className="grid gap-4">
      {asksCode ? (
        <>
          <p className="text-small text-soft">The password is right. This account also asks for a second factor.</p>
          <CodeField
            isFirst
            value={form.code}
            onChange={form.setCode}
            error={isWrongCode ? 'That code is wrong, used or too old. Wait for the next one.' : undefined}
          />
        </>
      ) : (
        <>
          <TextField
            label="E-mail"
            type="email"
            name="email"
            autoComplete="username"
            required
            readOnly={known !== undefined}
            value={form.email}
            onChange={(event) => form.setEmail(event.target.value)}
          />
          <PasswordField value={form.password} onChange={form.setPassword} isFirst={known !== undefined} />
        </>
      )}
      {captcha.widget}
      <Failure error={isWrongCode || has(signIn.error, 'TOTP_REQUIRED') ? null : signIn.error} />
      <div className="flex flex-wrap-reverse items-center justify-end gap-2">
        {asksCode && (
          <Button kind="quiet" onClick={form.back}>
            Back
          </Button>
        )}
        {actions}
        <Button
          type="submit"
          kind="primary"
          busy={signIn.isPending}
          why={captcha.why}
          className={actions || asksCode ? '' : 'w-full'}
        >
          {asksCode ? 'Confirm' : 'Sign in'}
        </Button>
      </div>
    </form>
  );
}
