import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function SignUpPage() {
  return (
    <Page title="SignUp">
      <Skeleton />
    </Page>
  );
}
