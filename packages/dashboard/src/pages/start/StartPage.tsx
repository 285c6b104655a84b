import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function StartPage() {
  return (
    <Page title="Start">
      <Skeleton />
    </Page>
  );
}
