import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { command } from '../../api/commands.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Failure } from '../../ui/States.tsx';
import { AccountPage } from './AccountPage.tsx';
import { useCaptcha } from './use-captcha.tsx';

/** Has a mail sent with which the password is set anew. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const captcha = useCaptcha('forgot_password');
  const ask = useMutation({
    mutationFn: () => agora.auth.forgotPassword({ email, ...captcha.token }),
    onSettled: captcha.again,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ask.isPending && !captcha.why) ask.mutate();
  };
  const below = <TextLink to="/sign-in">Back to sign in</TextLink>;
  if (ask.isSuccess) {
    return (
      <AccountPage title="Look at your mail" below={below}>
        <div role="status" className="grid gap-3">
          <p>
            If there is an account with <strong className="font-medium [overflow-wrap:anywhere]">{email}</strong>, a
            mail is on its way to it. Its link sets a new password, once, within an hour.
          </p>
          {pageFacts.isDevelopment && (
            <p className="text-small text-soft">
              In development mail is not sent but kept: <code className="font-mono">{command('mail')}</code> shows it.
            </p>
          )}
        </div>
      </AccountPage>
    );
  }
  const errors = fieldErrors(ask.error);
  return (
    <AccountPage title="Reset your password" lead="We mail you a link that sets a new one." below={below}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="E-mail of your account"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          error={errors.email}
        />
        {captcha.widget}
        <Failure error={errors.email ? null : ask.error} />
        <Button type="submit" kind="primary" busy={ask.isPending} why={captcha.why} className="w-full">
          Mail me a link
        </Button>
      </form>
    </AccountPage>
  );
}
