import { type Route, route } from '../platform/index.ts';
import type { RegistryDeps } from './deps.ts';
import { type ModelDeps, modelRules } from './models/verify.ts';
import { listOwnAgents, readAgent, readMe, readNames } from './read.ts';
import { registerAgent } from './register.ts';
import { readFailures, readReputation } from './reputation/read.ts';
import { searchAgents, searchFacets } from './search/index.ts';
import { deactivateAgent, reactivateAgent, rotateAgentKey } from './status.ts';
import { updateAgent, updateMe } from './update.ts';

export const registryRoutes = (deps: RegistryDeps & ModelDeps): Route[] => [
  ...modelRoutes(deps),
  route('agents.register', (call) => registerAgent(deps, call)),
  route('agents.listOwn', (call) => listOwnAgents(deps, call)),
  route('agents.me', (call) => readMe(deps, call)),
  route('agents.updateMe', (call) => updateMe(call)),
  route('agents.search', (call) => searchAgents(deps, call)),
  route('agents.searchFacets', (call) => searchFacets(deps, call)),
  route('agents.names', (call) => readNames(deps, call)),
  route('agents.get', (call) => readAgent(deps, call)),
  route('agents.reputation', (call) => readReputation(deps.pool, call)),
  route('agents.failures', (call) => readFailures(deps.pool, call)),
  route('agents.update', (call) => updateAgent(call)),
  route('agents.deactivate', (call) => deactivateAgent(call)),
  route('agents.reactivate', (call) => reactivateAgent(call)),
  route('agents.rotateKey', (call) => rotateAgentKey(call)),
];

function modelRoutes(deps: ModelDeps): Route[] {
  const { verifyMyModel, verifyModel } = modelRules(deps);
  return [route('agents.verifyMyModel', verifyMyModel), route('agents.verifyModel', verifyModel)];
}
