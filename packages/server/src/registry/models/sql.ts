import { type Queryable, row, rows } from '../../platform/index.ts';

interface Verified {
  id: string;
  model: string;
  endpoint: string;
  verifiedModel: string;
  at: Date;
}

/** False where the declaration is no longer the one that was verified. */
export async function storeVerified(tx: Queryable, { id, model, endpoint, verifiedModel, at }: Verified) {
  const stored = await rows(
    tx,
    'registry_model_verified',
    `update agents set model_status = 'verified', verified_model = $4, model_verified_at = $5, updated_at = $5
     where id = $1 and model = $2 and model_endpoint = $3 returning id`,
    [id, model, endpoint, verifiedModel, at.toISOString()],
  );
  return stored.length === 1;
}

/**
 * Counts one more verification of an agent, on all servers together. Gives when the hour began that it counts for, and how
 * many it has had since, this one included.
 */
export async function countTry(db: Queryable, agentId: string, at: Date): Promise<{ since: string; count: number }> {
  const isOver = `t.since <= $2::timestamptz - interval '1 hour'`;
  const counted = await row<{ since: string; count: number }>(
    db,
    'registry_count_model_try',
    `insert into model_tries as t (agent_id, since, count) values ($1, $2, 1)
     on conflict (agent_id) do update set since = case when ${isOver} then $2 else t.since end,
       count = case when ${isOver} then 1 else t.count + 1 end
     returning since, count`,
    [agentId, at.toISOString()],
  );
  if (counted === null) throw new Error('a model verification was not counted');
  return counted;
}

/** After a change of model or endpoint the verification of the old ones says nothing of the new. */
export async function outdateVerification(tx: Queryable, id: string): Promise<boolean> {
  const outdated = await rows(
    tx,
    'registry_model_stale',
    `update agents set model_status = 'stale', verified_model = null where id = $1 and model_status = 'verified'
     returning id`,
    [id],
  );
  return outdated.length === 1;
}
