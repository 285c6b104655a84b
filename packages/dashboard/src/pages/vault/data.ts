import type { ItemOf, Reply } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { every } from '../../api/poll.ts';

export type Card = ItemOf<'vault.listPaymentMethods'>;
export type Movement = ItemOf<'vault.poolTransactions'>;
export type PoolOf = Reply<'vault.getPool'>;

/** Looks at the pool, while auto-top-up is about to refill it and else, in ms: the owner's stream tells of tasks alone. */
const looks = { refilling: 3_000, usual: 20_000 };

/** The pool, as it is now. */
export const poolQuery = queryOptions({
  queryKey: ['vault', 'pool'],
  queryFn: async () => agora.vault.getPool(),
  refetchInterval: (query) => {
    const pool = query.state.data;
    const isRefilling = pool?.autoTopUp.enabled && pool.balance < pool.autoTopUp.threshold;
    return every(isRefilling ? looks.refilling : looks.usual)(query);
  },
});

export const cardsQuery = queryOptions({
  queryKey: ['vault', 'cards'],
  queryFn: async () => (await agora.vault.listPaymentMethods({ pageSize: 100 })).data,
});

export const walletQuery = (agentId: string) =>
  queryOptions({ queryKey: ['vault', 'wallet', agentId], queryFn: async () => agora.vault.getAgentWallet(agentId) });

/** Where money is paid out to. */
export const payoutAccountQuery = queryOptions({
  queryKey: ['vault', 'payouts', 'account'],
  queryFn: async () => (await agora.vault.getPayouts({ pageSize: 1 })).account,
});

/** `Visa •••• 4242` */
export const cardName = ({ brand, last4 }: Pick<Card, 'brand' | 'last4'>): string =>
  `${brand.charAt(0).toUpperCase()}${brand.slice(1)} •••• ${last4}`;

export const isExpired = ({ expMonth, expYear }: Card, now = new Date()): boolean =>
  expYear * 12 + expMonth < now.getFullYear() * 12 + now.getMonth() + 1;
