export { assess, type EvidenceSource, type Verdict } from './gate/index.ts';
export { courtsRoutes } from './routes.ts';
