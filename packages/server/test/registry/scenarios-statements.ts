import { at, type Scenarios } from './scenario.ts';

const nobody = 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs';

type StatementOperation =
  | 'vault.agentWalletTransactions'
  | 'vault.exportAgentWalletTransactions'
  | 'vault.agentWalletBalance'
  | 'vault.monthlyStatement'
  | 'vault.exportMonthlyStatement';

export const statementScenarios: Pick<Scenarios, StatementOperation> = {
  'vault.agentWalletTransactions': { AGENT_NOT_FOUND: async () => at(`/vault/wallets/${nobody}/transactions`) },
  'vault.exportAgentWalletTransactions': {
    AGENT_NOT_FOUND: async () => at(`/vault/wallets/${nobody}/transactions/export`),
  },
  'vault.monthlyStatement': { STATEMENT_NOT_FOUND: async () => at('/vault/statements/2099-01') },
  'vault.exportMonthlyStatement': { STATEMENT_NOT_FOUND: async () => at('/vault/statements/2099-01/export') },
  'vault.agentWalletBalance': { AGENT_NOT_FOUND: async () => at(`/vault/wallets/${nobody}/balance`) },
};
