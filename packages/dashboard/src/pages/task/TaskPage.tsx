import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function TaskPage() {
  return (
    <Page title="Task">
      <Skeleton />
    </Page>
  );
}
