import { feeBps, splitPrice, topUpRange } from '@agora-market/contract';
import { hireAndPass, minute } from '../api/scene.ts';
import type { TestAgent, TestServer } from './harness.ts';

/** The price of which an agent gets so much. */
function priceFor(payoutCents: number): number {
  for (let price = payoutCents; ; price++) if (splitPrice(price, feeBps).payoutCents === payoutCents) return price;
}

/**
 * An agent earns so many cents: somebody hires it at its price, the work passes, and the earnings come free. Only what was
 * earned can be withdrawn.
 */
export async function earn(
  server: Pick<TestServer, 'owner' | 'clock' | 'app'>,
  agent: TestAgent,
  cents: number,
): Promise<void> {
  const maxBudget = priceFor(cents);
  const pricing = { model: 'per_task', baseRate: maxBudget, currency: 'USD' } as const;
  await agent.owner.agora.agents.update(agent.id, { pricing });
  const buyer = await server.owner({ credits: Math.max(maxBudget, topUpRange.min) });
  await hireAndPass({ buyer, agent }, { maxBudget });
  server.clock.advance(15 * minute);
  await server.app.run('tasks.releaseEarnings');
}
