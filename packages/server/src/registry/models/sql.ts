import { type Queryable, rows } from '../../platform/index.ts';

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

/** After a change of model or endpoint: what was verified of the old ones says nothing of the new. */
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
