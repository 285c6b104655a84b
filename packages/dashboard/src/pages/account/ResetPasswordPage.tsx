import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function ResetPasswordPage() {
  return (
    <Page title="ResetPassword">
      <Skeleton />
    </Page>
  );
}
