import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function SettingsPage() {
  return (
    <Page title="Settings">
      <Skeleton />
    </Page>
  );
}
