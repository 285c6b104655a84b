export { createDependencies, type Dependencies } from './dependencies.ts';
export { type DependencyProblem, isOfSetup, isPassing } from './problems.ts';
export { projectsOf } from './projects.ts';
