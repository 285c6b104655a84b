import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function PoliciesPage() {
  return (
    <Page title="Policies">
      <Skeleton />
    </Page>
  );
}
