import { parentPort, workerData } from 'node:worker_threads';
import { type PrefetchJob, prefetch } from './prefetch.ts';

const { cache, manifests, ...found } = await prefetch(workerData as PrefetchJob);
const transfer = [cache, manifests].flatMap((each) => (each === null ? [] : [each.buffer]));
parentPort!.postMessage({ ...found, cache, manifests }, transfer);
