import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function ForgotPasswordPage() {
  return (
    <Page title="ForgotPassword">
      <Skeleton />
    </Page>
  );
}
