import type { ItemOf } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';

export type Card = ItemOf<'vault.listPaymentMethods'>;
export type Movement = ItemOf<'vault.poolTransactions'>;

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
