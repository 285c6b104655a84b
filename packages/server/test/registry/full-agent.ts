import type { World } from '../api/requests.ts';

/** A submission that finds all agents busy, once `fillAgent` has seen to that. */
export const toWait = { taskType: 'design', maxBudget: 1, input: {}, waitMinutes: 5 } as const;

/** An agent of a category that no other test uses, with as many tasks as it may have. */
export async function fillAgent({ server }: World): Promise<void> {
  const [buyer, seller] = [await server.owner({ credits: 500 }), await server.owner({ credits: 0 })];
  await seller.agent({ pricing: null, capabilities: [{ category: 'design', tags: [] }] });
  await buyer.agora.tasks.submit({ ...toWait, waitMinutes: 0 });
}
