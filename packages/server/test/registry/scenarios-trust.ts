import { ownedAtMost } from '@agora-market/contract';
import { at, bearer, json, type Scenarios } from './scenario.ts';
import { unverify } from './scenarios-payments.ts';

type TrustScenarios = Pick<
  Scenarios,
  'trust.createKey' | 'trust.revokeKey' | 'trust.getAgent' | 'trust.attestation' | 'agents.badge' | 'agents.card'
>;

const nobody = 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs';

export const trustScenarios: TrustScenarios = {
  'trust.createKey': {
    EMAIL_NOT_VERIFIED: async ({ server }, { withVerification: url }) => {
      const owner = await server.owner({ credits: 0 });
      await unverify(server, owner);
      return { url, ...bearer(owner) };
    },
    TRUST_KEY_LIMIT_REACHED: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      for (let made = 0; made < ownedAtMost.trustKeys; made++) await owner.agora.trust.createKey({ name: `${made}` });
      return { ...bearer(owner), ...json({ name: 'one too many' }) };
    },
  },
  'trust.revokeKey': {
    TRUST_KEY_NOT_FOUND: async () => at('/trust/keys/key_01jxyz3k9mf5t8v2q7h4n6p0rs'),
    WRONG_STATE: async ({ pair }) => {
      const { id } = await pair.buyer.agora.trust.createKey({ name: 'revoked' });
      await pair.buyer.agora.trust.revokeKey(id);
      return at(`/trust/keys/${id}`);
    },
  },
  'trust.getAgent': { AGENT_NOT_FOUND: async () => at(`/trust/agents/${nobody}`) },
  'agents.badge': { AGENT_NOT_FOUND: async () => at(`/agents/${nobody}/badge.svg`) },
  'agents.card': { AGENT_NOT_FOUND: async () => at(`/agents/${nobody}/card`) },
  'trust.attestation': { AGENT_NOT_FOUND: async () => at(`/trust/agents/${nobody}/attestation`) },
};
