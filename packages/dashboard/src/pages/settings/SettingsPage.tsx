import { useSearch } from '@tanstack/react-router';
import { useOwner } from '../../api/session.ts';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { AccountTab } from './AccountTab.tsx';
import { DataTab } from './DataTab.tsx';
import { GitHubTab } from './GitHubTab.tsx';
import { NotificationsTab } from './NotificationsTab.tsx';
import { PackagesTab } from './PackagesTab.tsx';
import { SecurityTab } from './SecurityTab.tsx';

const tabs = [
  ['account', 'Account'],
  ['security', 'Security'],
  ['notifications', 'Notifications'],
  ['github', 'GitHub'],
  ['packages', 'Packages'],
  ['data', 'Data'],
] as const;

/** The account itself: who it is, how it is kept safe, and how it ends. */
export function SettingsPage() {
  const { tab, code, state, error } = useSearch({ from: '/owner/settings' });
  const owner = useOwner();
  // GitHub sends the browser back with these, whatever the rest of the address.
  const isFromGitHub = state !== undefined && (code !== undefined || error !== undefined);
  const shown = isFromGitHub ? 'github' : (tab ?? 'account');
  if (!owner) return null;
  return (
    <Page title="Settings" narrow>
      <Tabs
        label="Settings"
        tabs={tabs.map(([id, label]) => ({ label, to: '/settings', ...(id !== 'account' && { search: { tab: id } }) }))}
      />
      {shown === 'security' ? (
        <SecurityTab />
      ) : shown === 'notifications' ? (
        <NotificationsTab />
      ) : shown === 'github' ? (
        <GitHubTab given={isFromGitHub ? { code, state, error } : null} />
      ) : shown === 'packages' ? (
        <PackagesTab />
      ) : shown === 'data' ? (
        <DataTab owner={owner} />
      ) : (
        <AccountTab owner={owner} />
      )}
    </Page>
  );
}
