import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { every } from '../../api/poll.ts';
import { poolQuery } from '../../api/pool.ts';
import { refreshMoney } from '../../api/refresh-money.ts';
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

/** Looks at the pool, while auto-top-up is about to refill it and else, in ms: the owner's stream tells of tasks alone. */
const looks = { refilling: 3_000, usual: 20_000 };

const watchedPoolQuery = queryOptions({
  ...poolQuery,
  refetchInterval: (query) => {
    const pool = query.state.data;
    const isRefilling = pool?.autoTopUp.enabled && pool.balance < pool.autoTopUp.threshold;
    return every(isRefilling ? looks.refilling : looks.usual)(query);
  },
});

/** Has every part of the vault ask again once the pool has changed, as when it is refilled. */
function useFreshMoney() {
  const pool = useQuery(watchedPoolQuery).data;
  const seen = useRef(pool);
  useEffect(() => {
    const before = seen.current;
    seen.current = pool;
    if (before && before !== pool) refreshMoney();
  }, [pool]);
}
