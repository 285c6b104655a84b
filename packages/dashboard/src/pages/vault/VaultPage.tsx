import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { refreshMoney } from '../../api/refresh-money.ts';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { type OverviewData, overviewQuery } from '../start/overview-data.ts';
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

/** Without the time of the figures, which is another in every reply. */
const moneyOf = ({ pool, wallets, spent, earned }: OverviewData) => ({ pool, wallets, spent, earned });

/** Has every part of the vault ask again once a figure has changed, as when a task is paid or the pool is refilled. */
function useFreshMoney() {
  const figures = useQuery({ ...overviewQuery, select: moneyOf }).data;
  const pool = useQuery(poolQuery).data;
  const seen = useRef({ figures, pool });
  useEffect(() => {
    const before = seen.current;
    seen.current = { figures, pool };
    const isChanged = (before.figures && before.figures !== figures) || (before.pool && before.pool !== pool);
    if (isChanged) refreshMoney();
  }, [figures, pool]);
}
