import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function DeveloperPage() {
  return (
    <Page title="Developer">
      <Skeleton />
    </Page>
  );
}
