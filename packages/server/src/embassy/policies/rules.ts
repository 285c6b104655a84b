import type { BuyerLimits, Category, OperatingHours } from '@agora-market/contract';
import { ApiError } from '../../platform/index.ts';
import type { WorkRules } from '../../registry/index.ts';
import { isOpen } from './hours.ts';

/** What a policy allows. Ids are UUIDs, money is cents; null allows everything. */
export interface Rules {
  perTransactionMax: number | null;
  approvalThreshold: number | null;
  allowedCategories: Category[] | null;
  operatingHours: OperatingHours | null;
  blockedAgents: string[];
  blockedOwners: string[];
  /** Whose tasks agents take; null for those of all buyers but unusual ones. */
  buyerLimits: BuyerLimits | null;
}

/** The policies that bind a submission; null where there is none. */
export interface BuyersPolicies {
  ownerPolicy: Rules | null;
  /** Of the agent that submits. */
  agentPolicy: Rules | null;
}

export type PolicyRule = 'perTransactionMax' | 'allowedCategories' | 'operatingHours' | 'blockedCounterparties';

/** The rule that a submission breaks, and whose policy has it. */
export interface Denial {
  rule: PolicyRule;
  policy: 'owner' | 'agent';
  /** For `perTransactionMax`, in cents. */
  limit?: number;
}

const named = ({ ownerPolicy, agentPolicy }: BuyersPolicies) =>
  [
    { policy: 'owner', rules: ownerPolicy },
    { policy: 'agent', rules: agentPolicy },
  ] as const;

/** The first rule that a submission breaks, whoever would get the task. `required` is all that it holds, in cents. */
export function brokenRule(
  policies: BuyersPolicies,
  { category, required, at }: { category: Category; required: number; at: Date },
): Denial | null {
  if (policies.ownerPolicy === null && policies.agentPolicy === null) return null;
  for (const { policy, rules } of named(policies)) {
    if (rules === null) continue;
    const { perTransactionMax: limit, allowedCategories, operatingHours } = rules;
    if (allowedCategories !== null && !allowedCategories.includes(category))
      return { rule: 'allowedCategories', policy };
    if (operatingHours !== null && !isOpen(operatingHours, at)) return { rule: 'operatingHours', policy };
    if (limit !== null && required > limit) return { rule: 'perTransactionMax', policy, limit };
  }
  return null;
}

/** Whether the buyer wants no dealings with an agent, or with its owner. */
export function blockedAgent(policies: BuyersPolicies, agentId: string, ownerId: string | null): Denial | null {
  for (const { policy, rules } of named(policies)) {
    if (rules === null) continue;
    if (rules.blockedAgents.includes(agentId) || (ownerId !== null && rules.blockedOwners.includes(ownerId)))
      return { rule: 'blockedCounterparties', policy };
  }
  return null;
}

/** All agents and owners that the buyer blocks. */
export function blockedBy(policies: BuyersPolicies): { agents: string[]; owners: string[] } {
  const all = named(policies).flatMap(({ rules }) => rules ?? []);
  return {
    agents: all.flatMap(({ blockedAgents }) => blockedAgents),
    owners: all.flatMap(({ blockedOwners }) => blockedOwners),
  };
}

/** Above which an agent's submission needs an approval, in cents: the lowest of all limits; null for none. */
export function approvalLimit({ ownerPolicy, agentPolicy }: BuyersPolicies, budget: number | null): number | null {
  const limits = [ownerPolicy?.approvalThreshold, agentPolicy?.approvalThreshold, budget];
  const found = limits.filter((limit) => limit !== null && limit !== undefined);
  return found.length === 0 ? null : Math.min(...found);
}

/** Whether an agent may take a task. */
export const mayTake = (
  { takes, works, blocked }: WorkRules,
  task: { category: Category; ownerId: string; submitterAgentId: string | null; at: Date },
): boolean =>
  (takes === null || takes.includes(task.category)) &&
  (works === null || works.every((hours) => isOpen(hours, task.at))) &&
  (blocked === null || !(blocked.includes(task.ownerId) || blocked.includes(task.submitterAgentId ?? '')));

const messages: Record<PolicyRule, string> = {
  perTransactionMax: 'The budget is above the limit of the policy.',
  allowedCategories: 'The policy does not allow this category.',
  operatingHours: 'The policy does not allow this at this time.',
  blockedCounterparties: 'The policy blocks this agent or its owner.',
};

export const policyDenied = ({ rule, ...details }: Denial): ApiError =>
  new ApiError('POLICY_DENIED', messages[rule], { rule, ...details });
