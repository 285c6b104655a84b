import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from './cases/index.ts';
import { isWithin, limits, measure, type Row, tableOf } from './measure.ts';
import { gaps } from './places.ts';
import { createWorld, type World } from './world.ts';

/**
 * Nothing a party sends keeps the event loop from everybody else: the worst input at each place where the server reads
 * what a party wrote, sent to a server in a process of its own beside a steady load. `places.ts` says which places
 * there are, `probe.mjs` how delay and heap are measured.
 */

const only = process.env.HOSTILE_CASE;
const rows: Row[] = [];
let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(async () => {
  await world?.close();
  console.log(`\nlimits: p99 ${limits.p99Ms} ms, max ${limits.maxMs} ms, heap ${limits.heapBytes / 1024 ** 2} MB`);
  console.log(tableOf(rows));
  for (const { place, input, gap } of allCases) if (gap) console.log(`not yet: ${place}: ${input} (${gap})`);
  for (const [place, why] of Object.entries(gaps)) console.log(`not yet: ${place} (${why})`);
});

describe('the loop and the heap hold', () => {
  const chosen = allCases
    .filter(({ gap }) => !gap || only !== undefined)
    .filter(({ place, input }) => new RegExp(only ?? '').test(`${place}: ${input}`));
  test.each(chosen.map((each) => [each.place, each.input, each] as const))(
    '%s: %s',
    async (place, input, each) => {
      const work = await each.prepare(world);
      const cost = await measure(world.probe, work, each.heldBytes);
      rows.push({ place, input, ...cost });
      expect(isWithin(cost, each.heldBytes), JSON.stringify(cost)).toBe(true);
    },
    180_000,
  );
});
