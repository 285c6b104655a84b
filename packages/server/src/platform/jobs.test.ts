import { expect, test, vi } from 'vitest';
import { createJobs, untilEmpty } from './jobs.ts';
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

const until = (isSo: () => boolean): Promise<void> => expect.poll(isSo, { interval: 20 }).toBe(true);

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

test('a job with a schedule of its own runs once in that time, and others every second', async () => {
  let hourly = 0;
  let others = 0;
  const jobs = createJobs(
    [
      { name: 'hourly', everyMs: 3_600_000, run: async () => void hourly++ },
      { name: 'other', run: async () => void others++ },
    ],
    silent,
  );
  jobs.start();
  await until(() => others >= 3);
  expect(hourly).toBe(1);
  // Whoever asks for all gets all.
  await jobs.runAll();
  expect(hourly).toBe(2);
  await jobs.stop();
});

test('tells of each job how long it runs', async () => {
  const { seen, job } = heldJob('slow');
  const jobs = createJobs([job], silent);
  expect(jobs.states()).toEqual([{ name: 'slow', everyMs: 1_000, runningMs: null, lastMs: null, lagMs: 0 }]);
  const run = jobs.run('slow');
  await until(() => (jobs.states()[0]?.runningMs ?? 0) > 200);
  seen.letGo();
  await run;
  expect(jobs.states()[0]).toMatchObject({ runningMs: null, lastMs: expect.toSatisfy((ms: number) => ms > 200) });
});

test('tells of each job how long it has been due', async () => {
  const { seen, job } = heldJob('slow');
  let atFirstRun: number | undefined;
  const run = async () => {
    atFirstRun ??= lag();
  };
  const jobs = createJobs([{ name: 'behind', after: ['slow'], run }, job], silent);
  const lag = () => jobs.states()[0]?.lagMs ?? 0;
  jobs.start();
  await until(() => lag() > 200);
  expect(jobs.states()[0]).toMatchObject({ runningMs: null, lastMs: null });
  seen.letGo();
  await until(() => atFirstRun !== undefined);
  expect(atFirstRun).toBeGreaterThan(200);
  await jobs.stop();
});

test('a purge goes on until there is no more, but for no longer than its time', async () => {
  let left = 2_500;
  const batches: number[] = [];
  await untilEmpty(1_000, async (limit) => {
    const some = Math.min(limit, left);
    left -= some;
    batches.push(some);
    return some;
  });
  expect(batches).toEqual([1_000, 1_000, 500]);

  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  let runs = 0;
  await untilEmpty(10, async () => {
    runs += 1;
    clock.mockReturnValue(runs * 2_000);
    return 10;
  });
  clock.mockRestore();
  expect(runs).toBe(3);
});

test('a job that is woken runs at once, and once for all who woke it before it began', async () => {
  const { seen, job } = heldJob('woken');
  let wake = () => {};
  const wokenBy = (run: () => void) => {
    wake = run;
  };
  const jobs = createJobs([{ ...job, everyMs: 1e6, wokenBy }], silent);
  jobs.start();
  for (let times = 0; times < 5; times++) wake();
  await until(() => seen.runs === 1);
  for (let times = 0; times < 5; times++) wake();
  seen.letGo();
  await until(() => seen.runs === 2);
  await jobs.stop();
  wake();
  expect(seen).toMatchObject({ runs: 2, most: 1 });
});

test('of four servers each runs what all share four times as rarely, and what is its own as often as ever', async () => {
  vi.useFakeTimers();
  const runs = { shared: 0, own: 0 };
  const jobs = createJobs(
    [
      { name: 'shared', run: async () => void runs.shared++ },
      { name: 'own', isOwn: true, run: async () => void runs.own++ },
    ],
    silent,
    { servers: () => 4, random: () => 0.5 },
  );
  try {
    jobs.start();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(runs).toEqual({ shared: 10, own: 39 });
  } finally {
    await jobs.stop();
    vi.useRealTimers();
  }
});

test('one statement asks for all jobs with a condition which are due, and all run where it fails', async () => {
  vi.useFakeTimers();
  const ran = { due: 0, idle: 0 };
  const asked: (readonly string[])[] = [];
  let isAway = false;
  const ask = async (_: string, conditions: readonly string[]) => {
    if (isAway) throw new Error('of the test');
    asked.push(conditions);
    return conditions.map((condition) => condition === 'yes');
  };
  const catalogue = [
    { name: 'due', due: 'yes', run: async () => void ran.due++ },
    { name: 'idle', due: 'no', run: async () => void ran.idle++ },
  ];
  const jobs = createJobs(catalogue, silent, { ask });
  try {
    jobs.start();
    await vi.advanceTimersByTimeAsync(7_500);
    expect(asked).toEqual(Array.from({ length: 10 }, () => ['yes', 'no']));
    expect(ran).toEqual({ due: 10, idle: 0 });
    await jobs.runAll();
    expect(ran).toEqual({ due: 11, idle: 0 });
    isAway = true;
    await vi.advanceTimersByTimeAsync(3_500);
    expect(ran).toEqual({ due: 16, idle: 5 });
    isAway = false;
    await vi.advanceTimersByTimeAsync(3_500);
    expect(ran).toEqual({ due: 21, idle: 5 });
  } finally {
    await jobs.stop();
    vi.useRealTimers();
  }
});

test('a job that is due and still runs is not begun again, and delays no other', async () => {
  vi.useFakeTimers();
  const { seen, job } = heldJob('slow');
  let others = 0;
  const jobs = createJobs(
    [
      { ...job, due: 'yes' },
      { name: 'other', due: 'yes', run: async () => void others++ },
    ],
    silent,
  );
  try {
    jobs.start();
    await vi.advanceTimersByTimeAsync(4_000);
    expect([seen.runs, others]).toEqual([1, 5]);
    seen.letGo();
    await vi.advanceTimersByTimeAsync(700);
    expect([seen.runs, seen.most]).toEqual([2, 1]);
  } finally {
    await jobs.stop();
    vi.useRealTimers();
  }
});

test('beside a server of a later release one does its own jobs alone', async () => {
  const ran: string[] = [];
  const job = (name: string, isOwn: boolean) => ({ name, isOwn, run: async () => void ran.push(name) });
  let isOutdated = true;
  const jobs = createJobs([job('own', true), job('shared', false)], silent, { isOutdated: () => isOutdated });
  await jobs.runAll();
  await jobs.run('shared');
  expect(ran).toEqual(['own']);
  isOutdated = false;
  await jobs.runAll();
  expect(ran).toEqual(['own', 'own', 'shared']);
});

test('a server runs the jobs of its roles, and its own', async () => {
  const ran: string[] = [];
  const job = (name: string, fields = {}) => ({ name, run: async () => void ran.push(name), ...fields });
  const catalogue = [
    job('shared'),
    job('judging', { role: 'gate' }),
    job('sending', { role: 'webhooks' }),
    job('own', { isOwn: true }),
    job('own of judges', { isOwn: true, role: 'gate' }),
    job('after', { role: 'gate', after: ['own of judges'] }),
  ];
  const of = async (...roles: string[]) => {
    ran.length = 0;
    const jobs = createJobs(catalogue, silent, { has: (role) => roles.includes(role) });
    await jobs.runAll();
    expect(jobs.states().map(({ name }) => name)).toEqual(ran);
    return [...ran];
  };
  expect(await of('jobs')).toEqual(['shared', 'own']);
  expect(await of('gate')).toEqual(['judging', 'own', 'own of judges', 'after']);
  expect(await of('webhooks', 'jobs')).toEqual(['shared', 'sending', 'own']);
  expect(await of('api')).toEqual(['own']);
});

test('a job comes after none that another server may do', () => {
  const run = async () => undefined;
  const catalogue = [
    { name: 'judging', role: 'gate' as const, run },
    { name: 'erasing', after: ['judging'], run },
  ];
  expect(() => createJobs(catalogue, silent)).toThrow('erasing comes after judging, which has another role.');
});

test('each job runs as seldom as there are servers with its role', () => {
  const servers = (role?: string) => ({ jobs: 4, gate: 2 })[role ?? ''] ?? 9;
  const run = async () => undefined;
  const catalogue = [
    { name: 'shared', run },
    { name: 'judging', role: 'gate' as const, run },
    { name: 'own', isOwn: true, run },
  ];
  expect(
    createJobs(catalogue, silent, { servers })
      .states()
      .map(({ everyMs }) => everyMs),
  ).toEqual([4_000, 2_000, 1_000]);
});
