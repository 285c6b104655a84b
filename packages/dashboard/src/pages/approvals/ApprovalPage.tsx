import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function ApprovalPage() {
  return (
    <Page title="Approval">
      <Skeleton />
    </Page>
  );
}
