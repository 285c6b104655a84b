import { toUuid } from '@agora-market/contract';
import { anything } from '../api/policy.ts';
import type { World } from '../api/requests.ts';
import { hireAndReject, makePair } from '../api/scene.ts';
import { at, bearer, json, type Scenarios, type Surroundings } from './scenario.ts';

type AssignmentScenarios = Pick<
  Scenarios,
  'tasks.decline' | 'tasks.cancel' | 'tasks.accept' | 'tasks.quote' | 'tasks.getGroup'
>;

const quoted = (agentId: string) => json({ taskType: 'general', agentId });

export const assignmentScenarios: AssignmentScenarios = {
  'tasks.decline': { TASK_WRONG_STATE: async ({ executing }) => at(`/tasks/${executing}/decline`) },
  'tasks.cancel': { TASK_WRONG_STATE: async ({ executing }) => at(`/tasks/${executing}/cancel`) },
  'tasks.accept': {
    TASK_WRONG_STATE: async ({ executing }) => at(`/tasks/${executing}/accept`),
    INSUFFICIENT_CREDITS: async ({ server }) => {
      const pair = await makePair(server);
      const { id } = await hireAndReject(pair);
      const { balance } = await pair.buyer.agora.vault.getPool();
      await pair.buyer.agora.tasks.submit({
        ...{ taskType: 'general', maxBudget: balance, agentId: pair.agent.id },
        input: { description: 'All of it' },
      });
      return { ...at(`/tasks/${id}/accept`), ...bearer(pair.buyer) };
    },
    DISPUTE_DEADLINE_PASSED: async ({ server }) => {
      const pair = await makePair(server);
      const { id } = await hireAndReject(pair);
      await server.pool.query(
        `update tasks set finished_at = finished_at - interval '24 hours 1 millisecond' where id = $1`,
        [toUuid('task', id)],
      );
      return { ...at(`/tasks/${id}/accept`), ...bearer(pair.buyer) };
    },
  },
  'tasks.getGroup': { GROUP_NOT_FOUND: async () => at('/tasks/groups/grp_01jxyz3k9mf5t8v2q7h4n6p0rs') },
  'tasks.quote': {
    AGENT_NOT_FOUND: async () => quoted('agt_01jxyz3k9mf5t8v2q7h4n6p0rs'),
    HIRE_TARGET_NOT_ACTIVE: async ({ pair }: World) => {
      const { id } = await pair.seller.agent();
      await pair.seller.agora.agents.deactivate(id);
      return quoted(id);
    },
    POLICY_DENIED: async ({ pair }: World) => {
      const { id, owner } = await pair.seller.agent();
      await owner.agora.embassy.setPolicy(id, { version: 0, ...anything, allowedCategories: [] });
      return quoted(id);
    },
    PLAN_REQUIRED: async ({ server }: World) => ({
      ...bearer(await server.owner({ credits: 0 })),
      ...json({ taskType: 'general', input: { environment: { cpus: 2.5 } } }),
    }),
    SANDBOX_UNAVAILABLE: async (_world: World, { withoutSandboxes: url }: Surroundings) => ({
      url,
      ...json({ taskType: 'general', input: { code: 'x' } }),
    }),
    SAME_OWNER: async ({ server }: World) => {
      const owner = await server.owner({ credits: 0 });
      return { ...quoted((await owner.agent()).id), ...bearer(owner) };
    },
  },
};
