import { at, type Scenarios } from './scenario.ts';

type VaultScenarios = Pick<Scenarios, 'vault.getAgentWallet'>;

export const vaultScenarios: VaultScenarios = {
  'vault.topUp': {
    NO_PAYMENT_METHOD: async ({ server }) => bearer(await server.owner({ credits: 0 })),
    CARD_DECLINED: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_chargeDeclined' });
      return bearer(owner);
    },
    TOP_UP_IN_PROGRESS: async ({ server }, around) => {
      const owner = await server.owner({ credits: 500 });
      const letGo = around.holdCharge();
      const first = owner.agora.vault.topUp({ amount: 500 });
      for (;;) {
        const { rows } = await server.pool.query(`select from top_ups where status = 'pending'`);
        if (rows.length > 0) break;
      }
      first.then(
        () => undefined,
        () => undefined,
      );
      setTimeout(letGo, 500);
      return bearer(owner);
    },
    PROCESSOR_ERROR: async ({ server }, around) => {
      const owner = await server.owner({ credits: 500 });
      around.breakProcessor();
      return bearer(owner);
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.addPaymentMethod': {
    CARD_DECLINED: async () => json({ paymentMethodId: 'pm_card_unknown' }),
    DUPLICATE: async () => json({ paymentMethodId: 'pm_card_visa' }),
    PROCESSOR_ERROR: async (_world, around) => {
      around.breakProcessor();
      return {};
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.getAgentWallet': { AGENT_NOT_FOUND: async () => at('/vault/wallets/agt_01jxyz3k9mf5t8v2q7h4n6p0rs') },
};
