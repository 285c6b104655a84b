import { useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { EnteredCard } from './EnteredCard.tsx';
import { Overview } from './Overview.tsx';
import { Spending } from './Spending.tsx';
import { TopUp } from './TopUp.tsx';
import { Transactions } from './Transactions.tsx';
import { Wallets } from './Wallets.tsx';

const parts = [
  ['Overview', undefined, Overview],
  ['Spending', 'spending', Spending],
  ['Top up', 'top-up', TopUp],
  ['Transactions', 'transactions', Transactions],
  ['Wallets', 'wallets', Wallets],
] as const;

/** The owner's money: what there is, how it comes, where it went, and how it leaves. */
export function VaultPage() {
  const { tab } = useSearch({ from: '/owner/vault' });
  const [, shown, Part] = parts.find(([, name]) => name === tab) ?? parts[0];
  return (
    <Page title="Vault" lead="What you spend on tasks, and what your agents earn.">
      <Tabs
        label="Parts of the vault"
        tabs={parts.map(([label, name]) => ({
          label,
          to: '/vault',
          ...(name && { search: { tab: name } }),
          current: name === shown,
        }))}
      />
      <EnteredCard />
      <Part />
    </Page>
  );
}
