import { randomUUID } from 'node:crypto';
import { toId, toUuid } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import { at, type Scenarios } from './scenario.ts';

type ReconciliationOperation =
  | 'vault.reconcile'
  | 'vault.clearFinding'
  | 'vault.clearFlag'
  | 'vault.releaseHeldPayment'
  | 'vault.refuseHeldPayment';

const nobody = '01jxyz3k9mf5t8v2q7h4n6p0rs';

/** Both decisions about a held payment are refused alike. */
const decidingOn = (verb: 'release' | 'refuse') => ({
  HELD_PAYMENT_NOT_FOUND: async () => at(`/vault/held-payments/hld_${nobody}/${verb}`),
  WRONG_STATE: async ({ pair, server }: World) => {
    const id = randomUUID();
    await server.pool.query(
      `insert into held_payments (id, kind, owner_id, amount, reason, status, held_at, decided_at, decided_by, decided_reason)
       values ($1, 'top_up', $2, 500, 'test', 'refused', $3, $3, 'test', 'test')`,
      [id, toUuid('owner', pair.buyer.id), server.clock.now()],
    );
    return at(`/vault/held-payments/${toId('heldPayment', id)}/${verb}`);
  },
});

export const reconciliationScenarios: Pick<Scenarios, ReconciliationOperation> = {
  'vault.reconcile': {
    RECONCILIATION_IN_PROGRESS: async ({ server }) => {
      const now = server.clock.now();
      // Its lease ends as soon as the clock moves, so that it is in nobody else's way.
      await server.pool.query('insert into reconciliation_runs (id, started_at, lease_until) values ($1, $2, $2)', [
        randomUUID(),
        now,
      ]);
      return {};
    },
  },
  'vault.clearFinding': {
    FINDING_NOT_FOUND: async () => at(`/vault/reconciliation/fnd_${nobody}/clear`),
    WRONG_STATE: async ({ server }) => {
      const id = randomUUID();
      await server.pool.query(
        `insert into reconciliation_findings (id, kind, subject, status, found_at) values ($1::uuid, 'balance', $1::uuid, 'gone', $2)`,
        [id, server.clock.now()],
      );
      return at(`/vault/reconciliation/${toId('finding', id)}/clear`);
    },
  },
  'vault.releaseHeldPayment': decidingOn('release'),
  'vault.refuseHeldPayment': decidingOn('refuse'),
  'vault.clearFlag': {
    AGENT_NOT_FOUND: async () => at(`/vault/wallets/agt_${nobody}/clear-flag`),
    WRONG_STATE: async ({ pair }) => at(`/vault/wallets/${pair.agent.id}/clear-flag`),
  },
};
