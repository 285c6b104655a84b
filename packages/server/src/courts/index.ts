export { assess, schemaProblem, type Verdict } from './gate/index.ts';
export { courtsRoutes } from './routes.ts';
