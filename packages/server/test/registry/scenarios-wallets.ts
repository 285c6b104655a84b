import { randomUUID } from 'node:crypto';
import { ownedAtMost, toUuid } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import type { TestAgent } from '../support/harness.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';

type Ids =
  | 'vault.allocate'
  | 'vault.reclaim'
  | 'vault.transfer'
  | 'vault.setAutoTopUp'
  | 'vault.getBudget'
  | 'vault.setBudget';

const unknown = 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs';

async function deactivated({ pair }: World): Promise<string> {
  const { id } = await pair.seller.agent();
  await pair.seller.agora.agents.deactivate(id);
  return id;
}

/** An agent that reconciliation has something to say about. */
async function flagged({ pair, server }: World, whose: 'buyer' | 'seller'): Promise<string> {
  const { id } = await pair[whose].agent();
  const flag = `insert into wallet_flags (agent_id, reason, found_at) values ($1, 'test', now())`;
  await server.pool.query(flag, [toUuid('agent', id)]);
  return id;
}

/** An allocation of an owner about whose pool a finding is open. */
async function inQuestion({ server }: World) {
  const owner = await server.owner({ credits: 0 });
  const { id } = await owner.agent();
  await server.pool.query(
    `insert into reconciliation_findings (id, kind, subject, owner_id, found_at) values ($1, 'balance', 'test', $2, now())`,
    [randomUUID(), toUuid('owner', owner.id)],
  );
  return { ...at(`/vault/wallets/${id}/allocate`), ...bearer(owner) };
}

/** A transfer among agents of the buyer, who is the one that asks. */
async function transfer({ pair }: World, from?: string, to?: string) {
  const fromAgentId = from ?? (await pair.buyer.agent()).id;
  return json({ fromAgentId, toAgentId: to ?? (await pair.buyer.agent()).id, amount: 1 });
}

export const walletScenarios: Pick<Scenarios, Ids> = {
  'vault.allocate': {
    AGENT_NOT_FOUND: async () => at(`/vault/wallets/${unknown}/allocate`),
    WALLET_FLAGGED: async (world) => inQuestion(world),
    WRONG_STATE: async (world) => at(`/vault/wallets/${await deactivated(world)}/allocate`),
    INSUFFICIENT_BALANCE: async () => json({ amount: 900_000_000 }),
  },
  'vault.reclaim': {
    AGENT_NOT_FOUND: async () => at(`/vault/wallets/${unknown}/reclaim`),
    WALLET_FLAGGED: async (world) => at(`/vault/wallets/${await flagged(world, 'seller')}/reclaim`),
    INSUFFICIENT_BALANCE: async () => json({ amount: 900_000_000 }),
  },
  'vault.transfer': {
    AGENT_NOT_FOUND: (world) => transfer(world, undefined, unknown),
    WALLET_FLAGGED: async (world) => transfer(world, await flagged(world, 'buyer')),
    SAME_WALLET: async (world) => {
      const { id } = await world.pair.buyer.agent();
      return transfer(world, id, id);
    },
    WRONG_STATE: async (world) => {
      const { id } = await world.pair.buyer.agent();
      await world.pair.buyer.agora.agents.deactivate(id);
      return transfer(world, undefined, id);
    },
    INSUFFICIENT_BALANCE: (world) => transfer(world),
  },
  'vault.setAutoTopUp': {
    NO_PAYMENT_METHOD: async ({ server }) => {
      const { token } = await server.owner({ credits: 0 });
      const body = json({ enabled: true, threshold: 1, reloadAmount: 500, maxPerDay: 500, maxPerMonth: 500 });
      return { ...body, headers: { authorization: `Bearer ${token}` } };
    },
  },
  'vault.getBudget': {
    AGENT_NOT_FOUND: async () => at(`/vault/budgets/${unknown}`),
  },
  'vault.setBudget': {
    AGENT_NOT_FOUND: async () => at(`/vault/budgets/${unknown}`),
  },
};

/** A sub-hire of an agent that may spend nothing, or nothing without an approval. */
const limited =
  (column: 'per_transaction_max' | 'approval_threshold', before?: (world: World, agent: TestAgent) => Promise<void>) =>
  async (world: World) => {
    const { server } = world;
    const { id } = await (await server.owner({ credits: 0 })).agent();
    const agent = await (await server.owner({ credits: 500 })).agent();
    await server.pool.query(`insert into agent_budgets (agent_id, ${column}, updated_at) values ($1, 0, now())`, [
      toUuid('agent', agent.id),
    ]);
    await before?.(world, agent);
    const submission = { taskType: 'general', maxBudget: 1, input: {}, agentId: id };
    return { ...json(submission), headers: { 'x-api-key': agent.key } };
  };

/** As many requests as an owner may have waiting. */
async function fillApprovals({ server }: World, { id, owner }: TestAgent): Promise<void> {
  await server.pool.query(
    `insert into approvals (id, owner_id, agent_id, task_type, max_budget, threshold, submission, correlation_id,
       created_at, expires_at)
     select gen_random_uuid(), $1, $2, 'general', 1, 0, '{}', 'test', now(), 'infinity' from generate_series(1, $3)`,
    [toUuid('owner', owner.id), toUuid('agent', id), ownedAtMost.pendingApprovals],
  );
}

/** How agents that sub-hire meet the limits that their owner has set. */
export const budgetScenarios = {
  BUDGET_EXCEEDED: limited('per_transaction_max'),
  POLICY_DENIED: limited('approval_threshold', fillApprovals),
};
