export { createDependencies, type Dependencies } from './dependencies.ts';
export type { Prepared } from './layers.ts';
export { type DependencyProblem, isPassing } from './problems.ts';
export { projectsOf } from './projects.ts';
