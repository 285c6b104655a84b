import { holdReader } from '../../events/index.ts';
import { type Pool, type Queryable, row, rows, transaction } from '../../platform/index.ts';
import { reputationReader } from './reader.ts';
import { rewriteReputations } from './recompute.ts';

/**
 * The model that the code computes reputations by. A change that makes other values of the same log gets the next number:
 * then the server computes what is stored anew before it reads on.
 */
export const reputationModel = 3;

/** SQL: stored reputations are of another model. */
export const isOldModel = `exists (select from reputation_clock where model is distinct from ${reputationModel})`;

const storedModel = async (db: Queryable): Promise<number | undefined> =>
  (await row<{ model: number }>(db, 'reputation_model', 'select model from reputation_clock'))?.model;

/** Computes stored reputations anew where another model made them. Nothing is told of tiers that change by that. */
export async function rebuildIfOld(pool: Pool): Promise<void> {
  if ((await storedModel(pool)) === reputationModel) return;
  await transaction(pool, 'write', async (tx) => {
    await holdReader(tx, reputationReader);
    // Another server may have done it meanwhile.
    if ((await storedModel(tx)) === reputationModel) return;
    await rewriteReputations(pool);
    await rows(tx, 'reputation_model_set', 'update reputation_clock set model = $1', [reputationModel]);
  });
}
