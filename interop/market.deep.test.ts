import { expect, test } from 'vitest';
import { chance, clamp, normal, pick } from '../bench/src/market/chance.ts';
import { defaults } from '../bench/src/market/options.ts';
import { categories } from '../bench/src/market/population.ts';
import { World } from '../bench/src/market/world.ts';
import { startTestServer, type TestAgent } from '../packages/server/test/support/harness.ts';

// The same small world goes through the live server and through the simulation of the market. Who does how much of the
// work must be the same, as far as chance lets one tell.

const qualities = [0.78, 0.7, 0.66, 0.62, 0.6, 0.58];
const buyers = 6;
const tasks = 120;
const spread = 0.05;
const category = categories[1];
/** Tasks end before the next begins. */
const stepMs = 3_600_000;

/** Each agent's share of the work, and then that of newcomers. */
type Shares = number[];

function simulated(seed: number): Shares {
  const options = {
    ...defaults,
    ...{ agents: 0, buyers, tasks, spread, thumbs: 0, arrivals: 0, days: (tasks * stepMs) / 86_400_000 },
  };
  const world = new World(options, seed, 'as built', { only: category, hours: () => 0.5 });
  const agents = qualities.map((quality) => world.add({ category, quality, unfinished: 0 }));
  const done = agents.map(() => 0);
  let newcomers = 0;
  world.run({
    taken: ({ agent, isNewcomer }) => {
      done[agents.indexOf(agent)]!++;
      newcomers += Number(isNewcomer);
    },
  });
  return [...done, newcomers].map((each) => each / tasks);
}

async function live(seed: number): Promise<Shares> {
  const random = chance(seed, 9);
  const server = await startTestServer({ random: chance(seed, 4) });
  try {
    const owners = await Promise.all(Array.from({ length: buyers }, () => server.owner({ credits: 100_000 })));
    const agents: TestAgent[] = [];
    for (const _ of qualities) {
      const seller = await server.owner({ credits: 0 });
      const pricing = { model: 'per_task', baseRate: defaults.price, currency: 'USD' } as const;
      agents.push(await seller.agent({ capabilities: [{ category, tags: [] }], pricing }));
    }
    const done = agents.map(() => 0);
    let newcomers = 0;
    for (let index = 0; index < tasks; index++) {
      const task = await pick(random, owners).agora.tasks.submit({
        taskType: category,
        maxBudget: Math.round(defaults.price * (1 + 2 * random())),
        input: {
          description: 'Review it',
          acceptance: { schema: { type: 'object', required: ['verdict'] } },
        },
      });
      const place = agents.findIndex(({ id }) => id === task.agentId);
      done[place]!++;
      const agent = agents[place] as TestAgent;
      const { candidates } = await agent.agora.tasks.routing(task.id);
      newcomers += Number(candidates.find(({ chosen }) => chosen)?.isNewcomer);
      await agent.agora.tasks.start(task.id, { sandboxId: 'elsewhere' });
      server.clock.advance(stepMs / 2);
      // The agent's own score can only lower the gate's, which is higher than any of these.
      const qualityScore = Math.round(100 * clamp(normal(random, qualities[place] as number, spread), 0, 0.85));
      await agent.agora.tasks.complete(task.id, { output: { result: { verdict: 'Good' } }, qualityScore });
      server.clock.advance(stepMs / 2);
      if (index % 24 === 0) await server.app.sweep();
    }
    return [...done, newcomers].map((each) => each / tasks);
  } finally {
    await server.close();
  }
}

const meanOf = (runs: Shares[]): Shares =>
  (runs[0] as Shares).map((_, nth) => runs.reduce((sum, shares) => sum + (shares[nth] as number), 0) / runs.length);

/** How much of the work other agents do: 0 none, 1 all. */
const distance = (one: Shares, other: Shares): number =>
  qualities.reduce((sum, _, nth) => sum + Math.abs((one[nth] as number) - (other[nth] as number)), 0) / 2;

test('the live server shares out work as the simulation does', async () => {
  const runs = Array.from({ length: 120 }, (_, nth) => simulated(nth + 1));
  const expected = meanOf(runs);
  // Runs in threes, as many as are made live, tell how far chance may lead.
  const threes = Array.from({ length: 40 }, (_, nth) => meanOf(runs.slice(3 * nth, 3 * nth + 3)));
  const found = meanOf([await live(1), await live(2), await live(3)]);
  expect(distance(found, expected)).toBeLessThan(Math.max(...threes.map((one) => distance(one, expected))));
  const newcomers = threes.map((one) => one.at(-1) as number);
  expect(found.at(-1)).toBeGreaterThan(0.8 * Math.min(...newcomers));
  expect(found.at(-1)).toBeLessThan(1.25 * Math.max(...newcomers));
});
