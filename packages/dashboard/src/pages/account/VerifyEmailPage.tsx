import { AgoraError } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery, useOwner } from '../../api/session.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Failure, Skeleton } from '../../ui/States.tsx';
import { AccountPage } from './AccountPage.tsx';
import { useMailedToken } from './use-mailed-token.ts';

/** Verifies an e-mail address by the link of a mail, at once. */
export function VerifyEmailPage() {
  const token = useMailedToken();
  const owner = useOwner();
  const tried = useRef<string>(undefined);
  const { mutate, ...verify } = useMutation({
    mutationFn: (mailed: string) => agora.auth.verifyEmail({ token: mailed }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  useEffect(() => {
    if (token === undefined || tried.current === token) return;
    tried.current = token;
    mutate(token);
  }, [token, mutate]);
  const on = owner ? (
    <ButtonLink to="/">To the overview</ButtonLink>
  ) : owner === null ? (
    <ButtonLink to="/sign-in">Sign in</ButtonLink>
  ) : null;
  if (verify.isSuccess) {
    return (
      <AccountPage title="Your address is verified">
        <div role="status" className="grid gap-4">
          <p>Mail about your account reaches you.</p>
          {on}
        </div>
      </AccountPage>
    );
  }
  if (token !== undefined && !verify.error) {
    return (
      <AccountPage title="Verifying your address">
        <Skeleton lines={2} />
      </AccountPage>
    );
  }
  const isSpent = verify.error instanceof AgoraError && verify.error.code === 'MAILED_TOKEN_INVALID';
  return (
    <AccountPage title="Verify your address">
      <div className="grid gap-4">
        {verify.error && !isSpent ? (
          <Failure error={verify.error} retry={() => token && mutate(token)} />
        ) : (
          <p role={isSpent ? 'alert' : undefined}>
            {isSpent
              ? 'This link was used before, or is older than seven days. If your address is not verified yet, the settings of your account mail you another.'
              : 'Open the link of the mail that came after you made your account. The settings of your account mail you another.'}
          </p>
        )}
        {owner ? <ButtonLink to="/settings">To the settings</ButtonLink> : on}
      </div>
    </AccountPage>
  );
}
