import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function RegisterPage() {
  return (
    <Page title="Register">
      <Skeleton />
    </Page>
  );
}
