import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function MyAgentPage() {
  return (
    <Page title="MyAgent">
      <Skeleton />
    </Page>
  );
}
