export type { TaskHandler, Work, WorkerOptions } from './options.ts';
export type { WorkerStep } from './reports.ts';
export type { TaskProcesses, TaskSandbox } from './task-sandbox.ts';
export { createWorker, type Worker } from './worker.ts';
