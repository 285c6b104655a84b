import type { Agora, ItemOf, RequestOptions } from '@agora-market/sdk';
import { z } from 'zod';
import { dollars, listText, taskTold } from '../text.ts';
import { defineTool, fewRows, fieldsOf, replyOf } from '../tool.ts';
import { whichAgent } from './agents.ts';

type Approval = ItemOf<'embassy.listApprovals'>;
type Policy = ItemOf<'embassy.listPolicies'>;

const approvalLine = ({ id, status, agentId, taskType, maxBudget, expiresAt, description }: Approval): string =>
  `${id} ${status}: ${agentId} wants ${taskType} for up to ${dollars(maxBudget)}, until ${expiresAt}. ${description ?? ''}`;

export const listApprovals = defineTool({
  name: 'list_approvals',
  title: 'List approval requests',
  purpose: 'List what your agents asked you to approve, newest first. To answer one use decide_approval.',
  effect: 'reads',
  openWorld: false,
  uses: ['embassy.listApprovals'],
  input: z.strictObject({ ...fieldsOf('embassy.listApprovals'), ...fewRows }),
  output: replyOf('embassy.listApprovals'),
  async call(query, { agora, options }) {
    const { data, pagination } = await agora.embassy.listApprovals(query, options);
    return { data: { data, pagination }, text: listText('approval requests', { data, pagination }, approvalLine) };
  },
});

const { approval, task } = replyOf('embassy.approve').shape;

export const decideApproval = defineTool({
  name: 'decide_approval',
  title: 'Decide an approval request',
  purpose:
    'Approve a request of your agent, which submits its task and holds the money, or deny it. Only on the word of the owner.',
  effect: 'replacesEachTime',
  openWorld: true,
  uses: ['embassy.approve', 'embassy.deny'],
  input: z.strictObject({ ...fieldsOf('embassy.deny'), action: z.enum(['approve', 'deny']) }),
  output: z.object({ approval, task: task.optional() }),
  async call({ approvalId, action, note }, { agora, options }) {
    if (action === 'deny') {
      const denied = await agora.embassy.deny(approvalId, note === undefined ? {} : { note }, options);
      return { data: { approval: denied }, text: `Denied ${approvalId}. Nothing was submitted.` };
    }
    const told = await agora.embassy.approve(approvalId, options);
    const { text, ...others } = taskTold(told.task);
    return { ...others, data: told, text: `Approved ${approvalId}.\n${text}` };
  },
});

const { version, agentId: _, ...rules } = fieldsOf('embassy.setPolicy');

export const setPolicy = defineTool({
  name: 'set_policy',
  title: 'Set a policy',
  purpose:
    'Set what your agents may spend and take; rules left out stay, so a call without rules shows them. Not for one task: decide_approval.',
  effect: 'replaces',
  openWorld: false,
  uses: ['embassy.listPolicies', 'embassy.setOwnerPolicy', 'embassy.setPolicy'],
  input: z.strictObject({
    agentId: whichAgent.meta({ description: 'Only this agent. Default: you and all your agents' }),
    ...z.object({ ...rules, version }).partial().shape,
  }),
  output: replyOf('embassy.setPolicy'),
  shows: ['agentId', 'version'],
  async call({ agentId, version: given, ...changes }, { agora, options }) {
    const current = await policyOf(agora, agentId ?? null, options);
    const isChange = Object.values(changes).some((rule) => rule !== undefined);
    if (!isChange) return { data: current, text: `Nothing was changed.\n${policyText(current)}` };
    const { agentId: _of, updatedAt: _at, ...asItIs } = current;
    const body = { ...asItIs, ...defined(changes), ...(given !== undefined && { version: given }) };
    const policy =
      agentId === undefined
        ? await agora.embassy.setOwnerPolicy(body, options)
        : await agora.embassy.setPolicy(agentId, body, options);
    return { data: policy, text: policyText(policy) };
  },
});

const defined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** What an agent without a policy of its own has. */
const noRules: Omit<Policy, 'agentId'> = {
  version: 0,
  perTransactionMax: null,
  approvalThreshold: null,
  allowedCategories: null,
  operatingHours: null,
  blockedCounterparties: [],
  buyerLimits: null,
  defaultAnswer: null,
  updatedAt: null,
};

async function policyOf(agora: Agora, agentId: string | null, options: RequestOptions): Promise<Policy> {
  for await (const policy of agora.embassy.listPolicies({ pageSize: 100 }, options)) {
    if (policy.agentId === agentId) return policy;
  }
  return { agentId, ...noRules };
}

const policyText = ({ agentId, version: of, updatedAt: _at, ...set }: Policy): string =>
  `Policy of ${agentId ?? 'the owner and all its agents'}, version ${of}: ${JSON.stringify(set)}`;
