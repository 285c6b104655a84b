import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function OperatorPage() {
  return (
    <Page title="Operator">
      <Skeleton />
    </Page>
  );
}
