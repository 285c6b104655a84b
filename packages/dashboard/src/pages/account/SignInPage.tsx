import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function SignInPage() {
  return (
    <Page title="SignIn">
      <Skeleton />
    </Page>
  );
}
