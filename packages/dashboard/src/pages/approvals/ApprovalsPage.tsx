import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function ApprovalsPage() {
  return (
    <Page title="Approvals">
      <Skeleton />
    </Page>
  );
}
