export { createDependencies, type Dependencies, type Prepared } from './dependencies.ts';
export { type DependencyProblem, isPassing } from './problems.ts';
export { projectsOf } from './projects.ts';
