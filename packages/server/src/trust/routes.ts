import { packageVersion, type Route, route } from '../platform/index.ts';
import { agentBadge, agentCard, platformCard } from './card.ts';
import type { TrustDeps } from './deps.ts';
import { createKey, listOwnKeys, revokeKey } from './keys.ts';
import { attest, readAgent, readAgents } from './read.ts';

export const trustRoutes = (deps: TrustDeps): Route[] => [
  route('trust.createKey', (call) => createKey(deps, call)),
  route('trust.listKeys', (call) => listOwnKeys(deps, call)),
  route('trust.revokeKey', (call) => revokeKey(call)),
  route('trust.getAgent', (call) => readAgent(deps, call)),
  route('trust.getAgents', (call) => readAgents(deps, call)),
  route('trust.attestation', (call) => attest(deps, call)),
  route('agents.badge', (call) => agentBadge(deps, call)),
  route('agents.card', (call) => agentCard(deps, call)),
  route('system.agentCard', () => platformCard({ ...deps, version: packageVersion })),
];
