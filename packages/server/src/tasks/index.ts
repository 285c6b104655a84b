export { createArtifacts } from './artifacts/artifacts.ts';
export { createDeliveries } from './deliveries.ts';
export type { TaskDeps } from './deps.ts';
export { createInputs } from './inputs/inputs.ts';
export { recover, sweep } from './jobs.ts';
export { createJudge, type JudgeDeps } from './judge.ts';
export { taskRoutes } from './routes.ts';
export { createTaskSandboxes } from './sandboxes.ts';
export { taskLoader } from './sql.ts';
