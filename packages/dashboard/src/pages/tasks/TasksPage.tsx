import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function TasksPage() {
  return (
    <Page title="Tasks">
      <Skeleton />
    </Page>
  );
}
