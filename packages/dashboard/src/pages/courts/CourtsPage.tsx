import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function CourtsPage() {
  return (
    <Page title="Courts">
      <Skeleton />
    </Page>
  );
}
