import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function DisputePage() {
  return (
    <Page title="Dispute">
      <Skeleton />
    </Page>
  );
}
