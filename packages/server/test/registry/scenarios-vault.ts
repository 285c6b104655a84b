import { at, type Scenarios } from './scenario.ts';

type VaultScenarios = Pick<Scenarios, 'vault.getAgentWallet'>;

export const vaultScenarios: VaultScenarios = {
  'vault.getAgentWallet': { AGENT_NOT_FOUND: async () => at('/vault/wallets/agt_01jxyz3k9mf5t8v2q7h4n6p0rs') },
};
