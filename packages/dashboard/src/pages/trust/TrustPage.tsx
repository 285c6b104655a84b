import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function TrustPage() {
  return (
    <Page title="Trust">
      <Skeleton />
    </Page>
  );
}
