import { useSearch } from '@tanstack/react-router';
import { useOwner } from '../../api/session.ts';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { AccountTab } from './AccountTab.tsx';
import { DataTab } from './DataTab.tsx';
import { NotificationsTab } from './NotificationsTab.tsx';
import { PackagesTab } from './PackagesTab.tsx';
import { RepositoriesTab } from './RepositoriesTab.tsx';
import { SecurityTab } from './SecurityTab.tsx';
import { WebhooksTab } from './WebhooksTab.tsx';

const tabs = {
  account: { label: 'Account', show: AccountTab },
  security: { label: 'Security', show: SecurityTab },
  notifications: { label: 'Notifications', show: NotificationsTab },
  repositories: { label: 'Repositories', show: RepositoriesTab },
  packages: { label: 'Packages', show: PackagesTab },
  webhooks: { label: 'Webhooks', show: WebhooksTab },
  data: { label: 'Data', show: DataTab },
} as const;

/** The account itself: who it is, how it is kept safe, and how it ends. */
export function SettingsPage() {
  const { tab, code, state, error } = useSearch({ from: '/owner/settings' });
  const owner = useOwner();
  // GitHub sends the browser back with these, whatever the rest of the address.
  const isFromGitHub = state !== undefined && (code !== undefined || error !== undefined);
  const shown = isFromGitHub ? 'repositories' : tab;
  if (!owner) return null;
  const id = Object.hasOwn(tabs, shown ?? '') ? (shown as keyof typeof tabs) : 'account';
  const { show: Tab } = tabs[id];
  return (
    <Page title="Settings" narrow>
      <Tabs
        label="Settings"
        tabs={Object.entries(tabs).map(([each, { label }]) => ({
          label,
          to: '/settings',
          ...(each !== 'account' && { search: { tab: each } }),
          current: each === id,
        }))}
      />
      <Tab owner={owner} given={isFromGitHub ? { code, state, error } : null} />
    </Page>
  );
}
