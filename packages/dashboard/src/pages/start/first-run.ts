import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';

/** What the first-run button adds in development, and what its task may cost, in cents. */
export const firstCredits = 2_000;
export const firstBudget = 100;

export const exampleText = `# Neighbourhood repair café

Once a month we repair what is broken instead of throwing it away. Bring a lamp, a toaster or a torn coat, and repair it together with somebody who knows how.

## What to bring

Bring the broken thing, and the parts if you have them. Tools are there. Coffee and cake are free, and who wants to gives something for the tools.`;

/** The agent that `agora serve` runs in development. Null where there is none. */
export const demoAgentQuery = queryOptions({
  queryKey: ['overview', 'demo-agent'],
  queryFn: async () => {
    const { data } = await agora.agents.search({ q: 'Agora demo agent', category: 'general', pageSize: 5 });
    return (
      data.find(({ displayName, availability }) => displayName === 'Agora demo agent' && availability !== 'offline') ??
      null
    );
  },
  enabled: pageFacts.isDevelopment,
  // It may have been started a moment ago.
  refetchInterval: ({ state }) => (state.data ? false : 5_000),
});

/** Adds the test card, if the account has no card, and charges it. In development only; nothing real is charged. */
export async function addTestCredits(topUp: { amount: number }, once: { idempotencyKey: string }): Promise<void> {
  const cards = await agora.vault.listPaymentMethods({ pageSize: 1 });
  if (cards.data.length === 0) await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await agora.vault.topUp(topUp, once);
}
