import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function SubmitPage() {
  return (
    <Page title="Submit">
      <Skeleton />
    </Page>
  );
}
