import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function VerifyEmailPage() {
  return (
    <Page title="VerifyEmail">
      <Skeleton />
    </Page>
  );
}
