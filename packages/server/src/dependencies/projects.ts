import type { Config } from '../platform/index.ts';
import type { SandboxFile } from '../sandbox/index.ts';
import type { FoundProject } from './ecosystem.ts';
import { type EcosystemName, everyEcosystem } from './ecosystems.ts';
import { type DependencyProblem, problem } from './problems.ts';

/** Of all locks and manifests; the largest known lock has five. */
export const mostLockBytes = 16 * 1024 * 1024;

export interface Project<F = SandboxFile> extends FoundProject<F> {
  ecosystem: EcosystemName;
}

interface Found {
  projects: Project[];
  problems: DependencyProblem[];
}

/** What can be installed of the buyer's files, and what cannot. */
export function projectsOf(
  files: readonly SandboxFile[],
  { DEPENDENCY_REGISTRIES }: Pick<Config, 'DEPENDENCY_REGISTRIES'>,
): Found {
  const each = everyEcosystem.map(([name, ecosystem]) => ({ name, ...ecosystem.projectsIn(files) }));
  const found: Found = {
    projects: each.flatMap(({ name, projects }) => projects.map((project) => ({ ecosystem: name, ...project }))),
    problems: each.flatMap(({ problems }) => problems),
  };
  return DEPENDENCY_REGISTRIES === 'off' ? switchedOff(found) : found;
}

/** A lockfile more would change nothing there. */
function switchedOff({ projects, problems }: Found): Found {
  const named = [...projects.map(({ locks }) => locks[0]!), ...problems];
  return { projects: [], problems: named.map(({ path }) => problem('switched_off', { path })) };
}
