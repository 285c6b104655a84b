import { setTimeout as sleep } from 'node:timers/promises';
import { toUuid } from '@agora-market/contract';
import { anything } from '../api/policy.ts';
import { askForApproval, type World } from '../api/requests.ts';
import type { TestOwner } from '../support/harness.ts';
import { fillAgent, toWait } from './full-agent.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';
import { fillStorage } from './storage.ts';

type Ids =
  | 'embassy.getApproval'
  | 'embassy.approve'
  | 'embassy.deny'
  | 'embassy.readNotification'
  | 'embassy.setOwnerPolicy'
  | 'embassy.setPolicy';

const nobody = 'apr_01jxyz3k9mf5t8v2q7h4n6p0rs';

/** A request in some state, and the owner that now decides on it. */
const asked =
  (verb: string, { credits = 500, fields = {}, after = async (_id: string, _owner: TestOwner, _world: World) => {} }) =>
  async (world: World) => {
    const owner = await world.server.owner({ credits });
    const id = await askForApproval(world.server, owner, world.pair.agent.id, fields);
    await after(id, owner, world);
    return { ...at(`/embassy/approvals/${id}/${verb}`), ...bearer(owner) };
  };

const deny = async (id: string, { agora }: TestOwner) => {
  await agora.embassy.deny(id);
};
const expire = async (id: string, _owner: TestOwner, { server }: World) => {
  await server.pool.query('update approvals set expires_at = $2 where id = $1', [
    toUuid('approval', id),
    server.clock.now(),
  ]);
};
const setBudget =
  (change: string) =>
  async (id: string, _owner: TestOwner, { server }: World) => {
    await server.pool.query(
      `update agent_budgets set ${change} where agent_id = (select agent_id from approvals where id = $1)`,
      [toUuid('approval', id)],
    );
  };
/** The owner has left the plan on which its agent asked for so many attempts. */
const leavePlan = async (id: string, _owner: TestOwner, { server }: World) => {
  await server.pool.query(
    `update approvals set submission = submission::jsonb - 'agentId' || '{"attempts": 5}' where id = $1`,
    [toUuid('approval', id)],
  );
};
const suspendAsker = async (id: string, _owner: TestOwner, { server }: World) => {
  await server.pool.query(
    `update agents set status = 'suspended' where id = (select agent_id from approvals where id = $1)`,
    [toUuid('approval', id)],
  );
};

const allowNothing = async (_id: string, { agora }: TestOwner) => {
  await agora.embassy.setOwnerPolicy({ version: 0, ...anything, allowedCategories: [] });
};
/** Nobody has stored this version. */
const stale = json({ version: 99, ...anything });

export const embassyScenarios: Pick<Scenarios, Ids> = {
  'embassy.readNotification': {
    NOTIFICATION_NOT_FOUND: async () => at('/embassy/notifications/ntf_01jxyz3k9mf5t8v2q7h4n6p0rs/read'),
  },
  'embassy.getApproval': { APPROVAL_NOT_FOUND: async () => at(`/embassy/approvals/${nobody}`) },
  'embassy.setOwnerPolicy': { VERSION_CONFLICT: async () => stale },
  'embassy.setPolicy': {
    AGENT_NOT_FOUND: async () => ({ ...at('/embassy/policies/agt_01jxyz3k9mf5t8v2q7h4n6p0rs'), ...stale }),
    VERSION_CONFLICT: async ({ pair }) => ({
      ...at(`/embassy/policies/${pair.agent.id}`),
      ...bearer(pair.seller),
      ...stale,
    }),
  },
  'embassy.deny': {
    APPROVAL_NOT_FOUND: async () => ({ ...at(`/embassy/approvals/${nobody}/deny`), ...json({}) }),
    ALREADY_DECIDED: asked('deny', { after: deny }),
    APPROVAL_EXPIRED: asked('deny', { after: expire }),
  },
  'embassy.approve': {
    APPROVAL_NOT_FOUND: async () => at(`/embassy/approvals/${nobody}/approve`),
    ALREADY_DECIDED: asked('approve', { after: deny }),
    APPROVAL_EXPIRED: asked('approve', { after: expire }),
    INSUFFICIENT_CREDITS: asked('approve', { credits: 0 }),
    BUDGET_EXCEEDED: asked('approve', { after: setBudget('per_transaction_max = 0') }),
    POLICY_DENIED: asked('approve', { after: allowNothing }),
    PLAN_REQUIRED: asked('approve', { after: leavePlan }),
    AGENT_NOT_ACTIVE: asked('approve', { after: suspendAsker }),
    NO_AGENTS_AVAILABLE: async (world) => {
      const seller = await world.server.owner({ credits: 0 });
      const agent = await seller.agent({ pricing: null, capabilities: [{ category: 'research', tags: [] }] });
      const fields = { taskType: 'research', agentId: undefined };
      const after = async () => {
        await seller.agora.agents.deactivate(agent.id);
      };
      return asked('approve', { fields, after })(world);
    },
    QUEUE_LIMIT_REACHED: async (world, { withoutQueue: url }) => {
      await fillAgent(world);
      return { url, ...(await asked('approve', { fields: { ...toWait, agentId: undefined } })(world)) };
    },
    HIRE_TARGET_NOT_ACTIVE: async (world) => {
      const seller = await world.server.owner({ credits: 0 });
      const { id: agentId } = await seller.agent();
      const after = async () => {
        await seller.agora.agents.deactivate(agentId);
      };
      return asked('approve', { fields: { agentId }, after })(world);
    },
    STORAGE_QUOTA_REACHED: async (world, { withLittleStorage: url }) => {
      const after = async (_id: string, owner: TestOwner) => {
        await fillStorage(world, owner);
        // Who has no room is looked up every two seconds.
        await sleep(2_500);
      };
      return { url, ...(await asked('approve', { after })(world)) };
    },
    SANDBOX_UNAVAILABLE: async (world, { withoutSandboxes: url }) => ({
      url,
      ...(await asked('approve', { fields: { input: { code: 'x' } } })(world)),
    }),
  },
};
