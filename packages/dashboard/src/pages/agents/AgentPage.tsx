import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function AgentPage() {
  return (
    <Page title="Agent">
      <Skeleton />
    </Page>
  );
}
