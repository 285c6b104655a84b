import { toUuid } from '@agora-market/contract';
import { topUpOf, type World } from '../api/requests.ts';
import { at, json, type Scenarios } from './scenario.ts';

/** The refund of a fresh top-up of 500 cents, all of which is in its owner's pool. */
async function topUp({ server }: World) {
  const owner = await server.owner({ credits: 500 });
  const id = await topUpOf(owner);
  const change = (what: string) =>
    server.pool.query(`update top_ups set ${what} where id = $1`, [toUuid('transaction', id)]);
  return { owner, change, id, sent: at(`/vault/top-ups/${id}/refund`) };
}

export const refundScenarios: Pick<Scenarios, 'vault.refundTopUp'> = {
  'vault.refundTopUp': {
    WRONG_STATE: async (world) => {
      const { owner, sent } = await topUp(world);
      await owner.agora.vault.setAutoTopUp({
        ...{ enabled: true, threshold: 500, reloadAmount: 500 },
        ...{ maxPerDay: 500, maxPerMonth: 500 },
      });
      return sent;
    },
    INSUFFICIENT_BALANCE: async (world) => {
      const { owner, sent } = await topUp(world);
      const { id } = await owner.agent();
      await owner.agora.vault.allocate(id, { amount: 401 });
      return sent;
    },
    REFUND_EXCEEDS_TOP_UP: async (world) => ({
      ...(await topUp(world)).sent,
      ...json({ amount: 501, reason: 'asked for' }),
    }),
    REFUND_REFUSED: async (world) => {
      const { change, sent } = await topUp(world);
      await change(`processor_ref = 'charge_of_another_processor'`);
      return sent;
    },
    TOP_UP_NOT_FOUND: async () => at('/vault/top-ups/txn_01jxyz3k9mf5t8v2q7h4n6p0rs/refund'),
    TOP_UP_NOT_PAID: async ({ server }) => {
      const { rows } = await server.pool.query(
        `insert into top_ups (id, owner_id, amount, payment_method_id, status, failure, correlation_id, created_at)
         select gen_random_uuid(), id, 500, 'pm_x', 'failed', 'declined', 'test', $1 from owners limit 1 returning id`,
        [server.clock.now()],
      );
      return at(`/vault/top-ups/${rows[0].id}/refund`);
    },
    REFUND_IN_PROGRESS: async (world, around) => {
      const { id, sent } = await topUp(world);
      around.breakProcessor();
      await world.server
        .operator()
        .vault.refundTopUp(id, { amount: 1, reason: 'asked for' })
        .catch(() => undefined);
      return sent;
    },
    PROCESSOR_ERROR: async (world, around) => {
      const { sent } = await topUp(world);
      around.breakProcessor();
      return sent;
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
};
