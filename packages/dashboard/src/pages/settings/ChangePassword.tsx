import { AgoraError } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { PasswordField, passwordProblem } from '../account/PasswordField.tsx';

/** The password changes by the old one, and other sessions end. */
export function ChangePassword() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [problem, setProblem] = useState<string>();
  const change = useMutation({
    mutationFn: () => agora.auth.changePassword({ currentPassword: current, newPassword: next }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      say('The password is changed. All other sessions are ended.');
      void queryClient.invalidateQueries({ queryKey: ['settings', 'sessions'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = passwordProblem(next);
    setProblem(found);
    if (!found && !change.isPending) change.mutate();
  };
  const isWrong = change.error instanceof AgoraError && change.error.code === 'INVALID_CREDENTIALS';
  const errors = fieldErrors(change.error);
  return (
    <Section title="Password" lead="Changing it ends your other sessions. A mail tells you that it was changed.">
      <form onSubmit={submit} className="grid max-w-md gap-4">
        <PasswordField
          label="Current password"
          value={current}
          onChange={setCurrent}
          error={isWrong ? 'That is not your password.' : undefined}
        />
        <PasswordField
          isNew
          label="New password"
          value={next}
          onChange={setNext}
          error={problem ?? errors.newPassword}
        />
        <Failure error={isWrong || errors.newPassword ? null : change.error} />
        <div>
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Section>
  );
}
