export { createDependencies, type Dependencies, type Earlier } from './dependencies.ts';
export { hashOfMod, hashOfZip } from './go/hash.ts';
export { reencryptRegistries } from './private-registries/reencrypt.ts';
export { createPrivateRegistries, type PrivateRegistries } from './private-registries/registries.ts';
export { eraseRegistries } from './private-registries/sql.ts';
export { type DependencyProblem, hidesCauses, isGone, isPassing } from './problems.ts';
export { projectsOf } from './projects.ts';
