import { beforeEach, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/invoke.ts';
import { manualClock } from '../../platform/index.ts';
import { createTestProcessor } from '../payments/processor-test.ts';
import { createReconciler } from './schedule.ts';

/** When the schedule reconciles, with several servers asking. */

const hour = 3600 * 1000;
const day = 24 * hour;
const clock = manualClock('2026-11-21T12:00:00.000Z');
const { pool } = await databaseForFile();

beforeEach(() => pool.query('delete from reconciliation_runs'));

const real = createTestProcessor({}, clock.now);
let isAway = false;
let hangs = false;
const processor: typeof real = {
  ...real,
  async *listCharges(since, signal) {
    if (isAway) throw new Error('away');
    if (hangs) await new Promise(() => {});
    yield* real.listCharges(since, signal);
  },
};

const reconciler = (options: { everyMs?: number; stopping?: AbortSignal } = {}) =>
  createReconciler({ pool, clock, log: silentLog, processor, processorTimeoutMs: 100, everyMs: day, ...options });

async function sweep(one = reconciler()): Promise<string[]> {
  await one.run();
  await one.idle();
  const { rows } = await pool.query('select status, processor from reconciliation_runs order by started_at');
  return rows.map(({ status, processor: books }) => `${status} ${books}`);
}

test('reconciles at once where nobody ever did, and then once in the time of the settings', async () => {
  expect(await sweep()).toEqual(['finished checked']);
  clock.advance(day - 1);
  expect(await sweep()).toHaveLength(1);
  clock.advance(1);
  expect(await sweep()).toHaveLength(2);
});

test('never reconciles where the settings say 0', async () => {
  expect(await sweep(reconciler({ everyMs: 0 }))).toEqual([]);
});

test('of several servers that ask at once one reconciles', async () => {
  const servers = Array.from({ length: 8 }, () => reconciler());
  await Promise.all(servers.map((one) => one.run()));
  await Promise.all(servers.map((one) => one.idle()));
  expect(await sweep()).toEqual(['finished checked']);
});

test('tries again after an hour where the processor could not be reached, or said nothing', async () => {
  isAway = true;
  expect(await sweep()).toEqual(['finished unreachable']);
  isAway = false;
  hangs = true;
  clock.advance(hour);
  expect(await sweep()).toEqual(['finished unreachable', 'finished unreachable']);
  hangs = false;
  clock.advance(hour);
  expect(await sweep()).toContain('finished checked');
  clock.advance(hour);
  expect(await sweep()).toHaveLength(3);
});

test('takes the place of a run whose process died, once its lease has run out', async () => {
  const until = new Date(clock.now().getTime() + 2 * day);
  await pool.query(`insert into reconciliation_runs (id, started_at, lease_until) values (gen_random_uuid(), $1, $2)`, [
    clock.now(),
    until,
  ]);
  clock.advance(2 * day);
  expect(await sweep()).toEqual(['running not_configured']);
  clock.advance(1);
  expect(await sweep()).toEqual(['failed not_configured', 'finished checked']);
});

test('a stop cuts a run short, which the next server makes up for', async () => {
  const stopping = new AbortController();
  const one = reconciler({ stopping: stopping.signal });
  hangs = true;
  await one.run();
  stopping.abort();
  await one.idle();
  hangs = false;
  expect(await sweep(one)).toEqual(['failed not_configured']);
  clock.advance(hour);
  expect(await sweep()).toEqual(['failed not_configured', 'finished checked']);
});
