import type { Operations } from '@agora-market/contract';
import type { Call, Pool } from '../../platform/index.ts';
import { allChoices } from './choice.ts';
import { findPreferences, storePreferences } from './sql.ts';

export const getPreferences = async (pool: Pool, { caller }: Call<Operations['embassy.getPreferences']>) => ({
  preferences: allChoices(await findPreferences(pool, caller.ownerId)),
});

export async function setPreferences({ tx, caller, body }: Call<Operations['embassy.setPreferences']>) {
  await storePreferences(tx, caller.ownerId, body.preferences);
  return { preferences: allChoices(body.preferences) };
}
