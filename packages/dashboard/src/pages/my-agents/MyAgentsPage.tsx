import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function MyAgentsPage() {
  return (
    <Page title="MyAgents">
      <Skeleton />
    </Page>
  );
}
