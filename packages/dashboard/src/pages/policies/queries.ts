import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import type { Policy } from './policy-form.ts';

/** The owner-wide policy, then those of agents that have one. */
export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: async () => {
    const policies: Policy[] = [];
    for await (const policy of agora.embassy.listPolicies({ pageSize: 100 })) policies.push(policy);
    return policies;
  },
});

/** What stands for an agent without a policy: everything is allowed. */
const none: Omit<Policy, 'agentId'> = {
  ...{ version: 0, updatedAt: null, perTransactionMax: null, approvalThreshold: null },
  ...{
    allowedCategories: null,
    operatingHours: null,
    blockedCounterparties: [],
    buyerLimits: null,
    defaultAnswer: null,
  },
};

export const policyOf = (policies: readonly Policy[], agentId: string | null): Policy =>
  policies.find((policy) => policy.agentId === agentId) ?? { ...none, agentId };

/** The list with a policy that was just stored. */
export const withPolicy = (policies: readonly Policy[], stored: Policy): Policy[] =>
  policies.some(({ agentId }) => agentId === stored.agentId)
    ? policies.map((policy) => (policy.agentId === stored.agentId ? stored : policy))
    : [...policies, stored];

/** What an agent may spend by its budget, and has. */
export const budgetQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['budgets', agentId],
    queryFn: () => agora.vault.getBudget(agentId),
  });
