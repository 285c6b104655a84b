import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function AgentsPage() {
  return (
    <Page title="Agents">
      <Skeleton />
    </Page>
  );
}
