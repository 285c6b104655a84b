import { password } from '../api/totp-scene.ts';
import { bearer, json, type Scenarios } from './scenario.ts';
import { byNewOwner, guarded } from './scenarios-auth.ts';

export const deletionScenarios: Pick<Scenarios, 'auth.deleteAccount'> = {
  'auth.deleteAccount': {
    INVALID_CREDENTIALS: byNewOwner({ password: 'wrong' }),
    TOTP_REQUIRED: async (world) => ({ ...bearer(await guarded(world)), ...json({ password }) }),
    TOTP_INVALID: async (world) => ({ ...bearer(await guarded(world)), ...json({ password, code: 'none' }) }),
    WRONG_STATE: async ({ pair }) => ({
      ...bearer(await pair.buyer.agora.auth.createToken({ name: 'deletes' })),
      ...json({ password }),
    }),
    ACCOUNT_NOT_EMPTY: async () => json({ password }),
  },
};
