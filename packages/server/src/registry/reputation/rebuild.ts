import { type Pool, row, rows } from '../../platform/index.ts';
import { recomputeReputations } from './recompute.ts';

/**
 * The model that the code computes reputations by. A change that makes other values of the same log gets the next number:
 * then the server computes what is stored anew before it reads on.
 */
const model = 2;

/** Computes stored reputations anew where another model made them. Nothing is told of tiers that change by that. */
export async function rebuildIfOld(pool: Pool): Promise<void> {
  const stored = await row<{ model: number }>(pool, 'reputation_model', 'select model from reputation_clock');
  if (stored === null || stored.model === model) return;
  await recomputeReputations(pool, { write: true });
  await rows(pool, 'reputation_model_set', 'update reputation_clock set model = $1', [model]);
}
