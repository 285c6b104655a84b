import type { SandboxFile } from '../sandbox/index.ts';
import type { FoundProject } from './ecosystem.ts';
import { type EcosystemName, everyEcosystem } from './ecosystems.ts';
import type { DependencyProblem } from './problems.ts';

/** Of all locks and manifests; the largest known lock has five. */
export const mostLockBytes = 16 * 1024 * 1024;

export interface Project<F = SandboxFile> extends FoundProject<F> {
  ecosystem: EcosystemName;
}

/** What can be installed of the buyer's files, and what cannot. */
export function projectsOf(files: readonly SandboxFile[]): { projects: Project[]; problems: DependencyProblem[] } {
  const found = everyEcosystem.map(([name, ecosystem]) => ({ name, ...ecosystem.projectsIn(files) }));
  return {
    projects: found.flatMap(({ name, projects }) => projects.map((project) => ({ ecosystem: name, ...project }))),
    problems: found.flatMap(({ problems }) => problems),
  };
}
