import { parentPort, workerData } from 'node:worker_threads';
import { type Job, questions } from './jobs.ts';
import type { Options } from './options.ts';

const asked = questions(workerData as Options);

parentPort?.on('message', ({ name, seed }: Job) => parentPort?.postMessage(asked[name]?.(seed)));
