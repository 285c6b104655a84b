import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function AuditPage() {
  return (
    <Page title="Audit">
      <Skeleton />
    </Page>
  );
}
