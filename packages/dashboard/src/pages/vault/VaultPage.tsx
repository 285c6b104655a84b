import { Page } from '../../ui/Layout.tsx';
import { Skeleton } from '../../ui/States.tsx';

/** Comes next. */
export function VaultPage() {
  return (
    <Page title="Vault">
      <Skeleton />
    </Page>
  );
}
