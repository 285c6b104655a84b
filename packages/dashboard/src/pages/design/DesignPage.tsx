import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function DesignPage() {
  return (
    <Page title="Design">
      <Skeleton />
    </Page>
  );
}
