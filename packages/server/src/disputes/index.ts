export { countDisputes } from './counts.ts';
export { createDisputes, takeOverDisputes } from './jobs.ts';
export { disputeRoutes } from './routes.ts';
