import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function NotificationsPage() {
  return (
    <Page title="Notifications">
      <Skeleton />
    </Page>
  );
}
