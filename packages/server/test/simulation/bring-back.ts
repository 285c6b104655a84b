import { appendEvent } from '../../src/events/index.ts';
import { type Pool, transaction } from '../../src/platform/index.ts';

/** The owner reactivates an agent, where it is suspended. */
export const bringBack = (pool: Pool, agentId: string, at: Date): Promise<void> =>
  transaction(pool, 'write', async (tx) => {
    const back = `update agents set status = 'active' where id = $1 and status = 'suspended'`;
    if ((await tx.query(back, [agentId])).rowCount === 0) return;
    await appendEvent(tx, {
      type: 'agent.reactivated',
      district: 'registry',
      at,
      correlationId: 'owner',
      agentId,
      data: { from: 'suspended' },
    });
  });
