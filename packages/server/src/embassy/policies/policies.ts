import { type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../../events/index.ts';
import { type Call, decodeCursor, ensure, type Pool, pageOf, transaction, untilEmpty } from '../../platform/index.ts';
import { followPolicies, lockOwner, requireOwnAgent } from '../../registry/index.ts';
import { isOpen, staysUntil } from './hours.ts';
import type { Rules } from './rules.ts';
import {
  findPolicy,
  lockUnchecked,
  type Openness,
  type PolicyRow,
  policiesOfAgents,
  savePolicy,
  storeOpenness,
} from './sql.ts';

type SetOwner = Operations['embassy.setOwnerPolicy'];
type SetAgent = Operations['embassy.setPolicy'];
type View = ReplyOf<SetOwner>;

const uuids = (kind: 'agent' | 'owner', ids: string[]) => [...new Set(ids.flatMap((id) => toUuid(kind, id) ?? []))];

const policyView = (row: Omit<PolicyRow, 'subjectId' | 'ownerId'>): View => ({
  agentId: row.agentId && toId('agent', row.agentId),
  version: row.version,
  perTransactionMax: row.perTransactionMax,
  approvalThreshold: row.approvalThreshold,
  allowedCategories: row.allowedCategories,
  operatingHours: row.operatingHours,
  blockedCounterparties: [
    ...row.blockedAgents.map((id) => toId('agent', id)),
    ...row.blockedOwners.map((id) => toId('owner', id)),
  ],
  buyerLimits: row.buyerLimits,
  defaultAnswer: row.defaultAnswer,
  updatedAt: row.updatedAt,
});

/** Where nothing was set everything is allowed. */
const none = (ownerId: string): PolicyRow => ({
  ...{ subjectId: ownerId, ownerId, agentId: null, version: 0, updatedAt: null },
  ...{ perTransactionMax: null, approvalThreshold: null, allowedCategories: null, operatingHours: null },
  ...{ blockedAgents: [], blockedOwners: [], buyerLimits: null, defaultAnswer: null },
});

/** The owner-wide policy stands first, on the first page. */
export async function listPolicies(pool: Pool, { caller, query }: Call<Operations['embassy.listPolicies']>) {
  const after = decodeCursor(query.cursor, z.uuid().or(z.literal('')));
  const ofAgents = await policiesOfAgents(pool, caller.ownerId, after || null, query.pageSize + 1);
  const own = after === null ? [(await findPolicy(pool, caller.ownerId)) ?? none(caller.ownerId)] : [];
  return pageOf([...own, ...ofAgents], query.pageSize, ({ agentId }) => agentId ?? '', policyView);
}

export const setOwnerPolicy = (call: Call<SetOwner>): Promise<View> => setPolicy(call, null);

export async function setAgentPolicy(call: Call<SetAgent>): Promise<View> {
  const agent = await requireOwnAgent(call.tx, call.caller.ownerId, call.params.agentId);
  return setPolicy(call, agent.id);
}

/** Applies from the next submission on, and to tasks that wait for an agent or get another one. */
async function setPolicy(call: Call<SetOwner> | Call<SetAgent>, agentId: string | null): Promise<View> {
  const { tx, body, now, caller, correlationId } = call;
  const { version, blockedCounterparties, buyerLimits = null, defaultAnswer = null, ...rules } = body;
  const policy: PolicyRow = {
    subjectId: agentId ?? caller.ownerId,
    ownerId: caller.ownerId,
    agentId,
    version: version + 1,
    updatedAt: now.toISOString(),
    ...rules,
    buyerLimits,
    defaultAnswer,
    blockedAgents: uuids('agent', blockedCounterparties),
    blockedOwners: uuids('owner', blockedCounterparties),
  };
  const open = openness(policy, now);
  // Registering holds the owner's row too, so that no new agent misses the policy.
  await lockOwner(tx, caller.ownerId);
  if (!(await savePolicy(tx, policy, open))) {
    const stored = await findPolicy(tx, policy.subjectId);
    ensure(false, 'VERSION_CONFLICT', undefined, { version: stored?.version ?? 0 });
  }
  await followPolicies(tx, [policy.subjectId]);
  const view = policyView(policy);
  const { updatedAt: _, ...data } = view;
  await appendEvent(tx, {
    ...{ type: 'policy.updated', district: 'embassy', at: now, correlationId, ownerId: caller.ownerId },
    ...(agentId !== null && { agentId }),
    data,
  });
  return view;
}

function openness({ operatingHours: hours }: Pick<Rules, 'operatingHours'>, now: Date): Openness {
  if (hours === null) return { isOpen: true, checkedAt: null, checkAt: null };
  return { isOpen: isOpen(hours, now), checkedAt: now.toISOString(), checkAt: staysUntil(hours, now).toISOString() };
}

/** Lists agents for routing when their hours begin, and takes them off when these end. Steps look at the hours themselves. */
export const followHours = (pool: Pool, now: Date): Promise<void> =>
  untilEmpty(100, (limit) =>
    transaction(pool, 'write', async (tx) => {
      const due = await lockUnchecked(tx, now, limit);
      const changed: string[] = [];
      for (const policy of due) {
        const open = openness(policy, now);
        await storeOpenness(tx, policy.subjectId, open);
        if (open.isOpen !== policy.isOpen) changed.push(policy.subjectId);
      }
      await followPolicies(tx, changed);
      return due.length;
    }),
  );
