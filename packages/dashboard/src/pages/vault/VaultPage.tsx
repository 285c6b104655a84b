import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { refreshMoney } from '../../api/refresh-money.ts';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { poolQuery } from './data.ts';
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
  useFreshMoney();
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

/** Has every part of the vault ask again once the pool has changed, as when it is refilled. */
function useFreshMoney() {
  const pool = useQuery(poolQuery).data;
  const seen = useRef(pool);
  useEffect(() => {
    const before = seen.current;
    seen.current = pool;
    if (before && before !== pool) refreshMoney();
  }, [pool]);
}
