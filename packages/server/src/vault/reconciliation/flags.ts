import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { ensure, type Queryable, row } from '../../platform/index.ts';
import { requireNamedAgent } from '../../registry/index.ts';
import type { Finding } from './finding.ts';
import { type Clearing, clearFindingsOf } from './finding-sql.ts';

/** Whether nothing may be withdrawn from an agent's wallet. */
export const isFlagged = async (db: Queryable, agentId: string): Promise<boolean> =>
  (await row(db, 'wallet_is_flagged', 'select from wallet_flags where agent_id = $1 and cleared_at is null', [
    agentId,
  ])) !== null;

/** Flags the wallet of a finding; where it is flagged already, the first reason stays. */
export async function flagWallet(
  tx: Queryable,
  finding: Finding & { agentId: string },
  at: Date,
  correlationId: string,
): Promise<void> {
  const reason = `${finding.kind} of ${finding.subject}`;
  const made = await row(
    tx,
    'wallet_flag',
    `insert into wallet_flags (agent_id, reason, found_at) values ($1, $2, $3)
     on conflict (agent_id) do update set reason = excluded.reason, found_at = excluded.found_at,
       cleared_at = null, cleared_by = null, cleared_reason = null
     where wallet_flags.cleared_at is not null
     returning agent_id`,
    [finding.agentId, reason, at.toISOString()],
  );
  if (!made) return;
  await appendEvent(tx, {
    type: 'wallet.flagged',
    district: 'vault',
    at,
    correlationId,
    agentId: finding.agentId,
    ...(finding.ownerId !== null && { ownerId: finding.ownerId }),
    data: { agentId: toId('agent', finding.agentId), kind: finding.kind, here: finding.here, there: finding.there },
  });
}

/** Removes a wallet's flag and clears its findings. Who, when and why go into the audit trail. */
export async function clearFlag(
  tx: Queryable,
  asked: { agentId: string; reason: string; by: string; at: Date; correlationId: string },
): Promise<ReplyOf<Operations['vault.clearFlag']>> {
  const { reason, by, at, correlationId } = asked;
  const agent = await requireNamedAgent(tx, asked.agentId);
  const clearing: Clearing = { at, by, reason };
  const flag = await row<{ reason: string; foundAt: string }>(
    tx,
    'wallet_clear_flag',
    `update wallet_flags set cleared_at = $2, cleared_by = $3, cleared_reason = $4
     where agent_id = $1 and cleared_at is null returning reason, found_at as "foundAt"`,
    [agent.id, at.toISOString(), by, reason],
  );
  ensure(flag, 'WRONG_STATE', 'The wallet is not flagged.');
  const findings = await clearFindingsOf(tx, agent.id, clearing);
  const agentId = toId('agent', agent.id);
  await appendEvent(tx, {
    type: 'wallet.flag_cleared',
    district: 'vault',
    at,
    correlationId,
    agentId: agent.id,
    ownerId: agent.ownerId,
    data: { agentId, by, reason, flaggedFor: flag.reason, findings: findings.map(({ id }) => toId('finding', id)) },
  });
  return {
    agentId,
    flagged: false,
    ...flag,
    clearedAt: at.toISOString(),
    clearedBy: by,
    clearedReason: reason,
  };
}
