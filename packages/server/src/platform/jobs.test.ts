import { expect, test } from 'vitest';
import { createJobs } from './jobs.ts';
import { createLog } from './log.ts';

const silent = createLog('silent');

/** A job that counts its runs, how many of them were at once, and ends a run when it is let go. */
function heldJob(name: string) {
  const seen = { runs: 0, atOnce: 0, most: 0, letGo: () => {} };
  let held = new Promise<void>((resolve) => {
    seen.letGo = resolve;
  });
  const run = async () => {
    seen.runs += 1;
    seen.atOnce += 1;
    seen.most = Math.max(seen.most, seen.atOnce);
    await held;
    held = Promise.resolve();
    seen.atOnce -= 1;
  };
  return { seen, job: { name, run } };
}

const until = (isSo: () => boolean): Promise<void> => expect.poll(isSo, { timeout: 20_000, interval: 20 }).toBe(true);

test('a job that waits keeps no other from running', async () => {
  const { seen, job } = heldJob('stuck');
  let others = 0;
  const jobs = createJobs([job, { name: 'other', run: async () => void others++ }], silent);
  jobs.start();
  await until(() => seen.runs === 1 && others >= 3);
  seen.letGo();
  await jobs.stop();
  expect(seen.runs).toBe(1);
});

test('a job that fails is run again, and the others as ever', async () => {
  let failures = 0;
  let others = 0;
  const run = async () => {
    failures += 1;
    throw new Error('of the test');
  };
  const jobs = createJobs(
    [
      { name: 'failing', run },
      { name: 'other', run: async () => void others++ },
    ],
    silent,
  );
  await jobs.runAll();
  expect([failures, others]).toEqual([1, 1]);
  jobs.start();
  await until(() => failures >= 3 && others >= 3);
  await jobs.stop();
});

test('a job never runs twice at once in a process, and who asks while it runs gets a run that began after', async () => {
  const { seen, job } = heldJob('one');
  const jobs = createJobs([job], silent);
  const asked = [jobs.runAll(), jobs.runAll(), jobs.runAll()];
  await until(() => seen.runs === 1);
  seen.letGo();
  await Promise.all(asked);
  expect([seen.runs, seen.most]).toEqual([3, 1]);
});

test('a job runs after those it names', async () => {
  const ran: string[] = [];
  const note = (name: string) => ({ name, run: async () => void ran.push(name) });
  const jobs = createJobs([{ ...note('erase'), after: ['court'] }, note('court')], silent);
  jobs.start();
  await until(() => ran.includes('erase'));
  await jobs.stop();
  expect(ran[0]).toBe('court');
});

test('a stop waits for the run that is under way and lets none begin', async () => {
  const { seen, job } = heldJob('running');
  let late = 0;
  const jobs = createJobs([job, { name: 'late', run: async () => void late++ }], silent);
  const sweep = jobs.runAll();
  await until(() => seen.runs === 1);
  let stopped = false;
  const stop = jobs.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  seen.letGo();
  await Promise.all([stop, sweep]);
  expect([seen.runs, late]).toEqual([1, 0]);
});
