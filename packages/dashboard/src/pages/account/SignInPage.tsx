import { Navigate, useSearch } from '@tanstack/react-router';
import { useOwner } from '../../api/session.ts';
import { TextLink } from '../../ui/Button.tsx';
import { AccountPage } from './AccountPage.tsx';
import { returnTo } from './return-to.ts';
import { SignInForm } from './SignInForm.tsx';

/** Signing in; `?to=` says where to go on. */
export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' });
  if (useOwner()) return <Navigate to="/" href={returnTo(to)} replace />;
  return (
    <AccountPage
      title="Sign in"
      lead={to && to !== '/' ? 'You come back to the page you asked for.' : undefined}
      below={
        <>
          <p>
            <TextLink to="/forgot-password">Forgot your password?</TextLink>
          </p>
          <p className="mt-2">
            New here? <TextLink to="/sign-up">Create an account</TextLink>
          </p>
        </>
      }
    >
      <SignInForm />
    </AccountPage>
  );
}
