import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Answers, addAnswer, type Job, jobsOf } from './jobs.ts';
import type { Options } from './options.ts';
import type { Figures } from './scenarios.ts';

/** Answers every question for every seed on worker threads; `progress` hears how many are done. */
export async function simulate(
  options: Options & { only: RegExp },
  threads: number,
  progress: (done: number, of: number) => void,
): Promise<Answers> {
  const jobs = jobsOf(options);
  const found: Figures[] = [];
  let [next, done] = [0, 0];
  const work = async () => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options });
    try {
      while (next < jobs.length) {
        const mine = next++;
        worker.postMessage(jobs[mine]);
        const [figures] = (await once(worker, 'message')) as [Figures];
        found[mine] = figures;
        progress(++done, jobs.length);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
  const answers: Answers = new Map();
  // In the order of the jobs and not of their ends, so that a run prints the same every time.
  for (const [i, figures] of found.entries()) addAnswer(answers, jobs[i] as Job, figures);
  return answers;
}
