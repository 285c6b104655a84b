import { type Route, route } from '../platform/index.ts';
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
];
