import { type Pool, type Route, route } from '../platform/index.ts';
import { getAssessment, listAssessments } from './assessments.ts';

export const courtsRoutes = (deps: { pool: Pool }): Route[] => [
  route('courts.getAssessment', (call) => getAssessment(deps.pool, call)),
  route('courts.listAssessments', (call) => listAssessments(deps.pool, call)),
];
