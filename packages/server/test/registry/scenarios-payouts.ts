import { toUuid } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import { hireAndPass, minute, pass } from '../api/scene.ts';
import { earn as earnCents } from '../support/earn.ts';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';
import { unverify } from './scenarios-payments.ts';

type PayoutOperation = 'vault.onboardPayouts' | 'vault.getPayouts' | 'vault.withdraw';

/** The agent's owner can be paid, and the agent has earned 850 cents more. */
async function earn({ pair, server }: World): Promise<void> {
  await pair.seller.agora.vault.onboardPayouts();
  await hireAndPass(pair);
  await pass(server, 15 * minute);
}

/** The owner has begun and not finished, as far as is known here. */
const unfinished = ({ server }: World) => server.pool.query(`update payout_accounts set status = 'onboarding'`);

const earners = new WeakMap<TestServer, Promise<{ owner: TestOwner; agent: TestAgent }>>();

/** An agent with 850 cents of its own, the same for all: earning takes time, in which other tasks would end. */
function earnerOf(server: TestServer) {
  const known = earners.get(server) ?? makeEarner(server);
  earners.set(server, known);
  return known;
}

async function makeEarner(server: TestServer) {
  const owner = await server.owner({ credits: 0 });
  const agent = await owner.agent();
  await owner.agora.vault.onboardPayouts();
  await earnCents(server, agent, 850);
  return { owner, agent };
}

export const payoutScenarios: Pick<Scenarios, PayoutOperation> = {
  'vault.onboardPayouts': {
    PROCESSOR_ERROR: async (_world, around) => {
      around.breakProcessor();
      return {};
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.getPayouts': {
    PROCESSOR_ERROR: async (world, around) => {
      const { seller } = world.pair;
      await seller.agora.vault.onboardPayouts();
      await unfinished(world);
      around.breakProcessor();
      return bearer(seller);
    },
  },
  'vault.withdraw': {
    INSUFFICIENT_BALANCE: async ({ pair }) => {
      await pair.seller.agora.vault.onboardPayouts();
      return json({ amount: 99_999_999 });
    },
    EARNINGS_ON_HOLD: async ({ server }) => {
      const { owner, agent } = await earnerOf(server);
      await server.pool.query(
        `insert into payout_holds (subject, owner_id, agent_id, amount, payable_at)
         select task_id, $1, agent_id, amount, $3 from earnings where agent_id = $2`,
        [toUuid('owner', owner.id), toUuid('agent', agent.id), new Date(server.clock.now().getTime() + 86_400_000)],
      );
      return { ...at(`/vault/wallets/${agent.id}/withdraw`), ...bearer(owner) };
    },
    EMAIL_NOT_VERIFIED: async ({ server }, around) => {
      const owner = await server.owner({ credits: 0 });
      const agent = await owner.agent();
      await owner.agora.vault.onboardPayouts();
      await unverify(server, owner);
      return { url: around.withLimits, ...at(`/vault/wallets/${agent.id}/withdraw`), ...bearer(owner) };
    },
    PAYOUT_ACCOUNT_REQUIRED: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      const { id } = await owner.agent();
      return { ...at(`/vault/wallets/${id}/withdraw`), ...bearer(owner) };
    },
    PAYOUT_REFUSED: async (world, around) => {
      await earn(world);
      around.refusePayouts();
      return {};
    },
    WRONG_STATE: async ({ server }, around) => {
      const { owner, agent } = await earnerOf(server);
      await server.pool.query('delete from payout_holds where owner_id = $1', [toUuid('owner', owner.id)]);
      const { vault } = owner.agora.withOptions({ baseUrl: around.withLimits });
      for (let nth = 0; nth < 3; nth++) await vault.withdraw(agent.id, { amount: 100 });
      return { ...at(`/vault/wallets/${agent.id}/withdraw`), ...bearer(owner) };
    },
    WALLET_FLAGGED: async ({ pair, server }) => {
      await pair.seller.agora.vault.onboardPayouts();
      const { id } = await pair.seller.agent();
      const agent = toUuid('agent', id);
      await server.pool.query(`insert into wallet_flags (agent_id, reason, found_at) values ($1, 'test', now())`, [
        agent,
      ]);
      return at(`/vault/wallets/${id}/withdraw`);
    },
    AGENT_NOT_FOUND: async () => at('/vault/wallets/agt_01jxyz3k9mf5t8v2q7h4n6p0rs/withdraw'),
    PROCESSOR_ERROR: async (world, around) => {
      await earn(world);
      around.breakProcessor();
      return {};
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
};
