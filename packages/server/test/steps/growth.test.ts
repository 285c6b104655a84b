import { expect, test } from 'vitest';
import { deliverStep, feedbackStep, finishStep, startStep, submitStep } from '../../src/tasks/steps/index.ts';
import { faults } from '../simulation/invariants.ts';
import { createWorld, deliverItem, feedbackItem, finishItem, startItem, submitItem, type World } from './world.ts';

const hot = [
  'tasks',
  'earnings',
  'ledger_accounts',
  'ledger_transfers',
  'agents',
  'agent_stats',
  'events',
  'assessments',
];

const scans = async (world: World) =>
  (
    await world.pool.query<{ relname: string; seq_scan: number }>(
      `select relname, seq_scan from pg_stat_user_tables where relname = any($1) order by relname`,
      [hot],
    )
  ).rows;

/** Agents fail here as often as chance has it; none is to be suspended for it. */
const keepActive = (world: World) =>
  world.pool.query(`create function keep_active() returns trigger language plpgsql as $$
    begin new.status := 'active'; return new; end $$;
    create trigger keep_active before update on agents for each row execute function keep_active()`);

/** Paid tasks from submission to feedback, all at once, over several writers in turn. */
async function lifecycles(world: World, count: number, owners: string[], agents: string[], writers = [world.writer]) {
  const outcomes: string[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const writer = writers[at % writers.length]!;
      const other = writers[(at + 1) % writers.length]!;
      const item = submitItem(owners[at % owners.length]!, agents[at % agents.length]!);
      const agent = item.agentId;
      outcomes.push((await writer.write(submitStep, item)).outcome);
      outcomes.push((await other.write(startStep, startItem(item.id, agent))).outcome);
      outcomes.push((await writer.write(deliverStep, deliverItem(item.id, agent))).outcome);
      const verb = at % 5 === 0 ? 'reject' : 'pass';
      outcomes.push((await other.write(finishStep, finishItem(item.id, verb, 1000))).outcome);
      if (verb === 'reject') return;
      outcomes.push((await writer.write(feedbackStep, feedbackItem(item.id, at % 3 ? 'up' : 'down'))).outcome);
    }),
  );
  return outcomes;
}

test('plans made on empty tables never scan a table that has grown since', async () => {
  const world = await createWorld();
  try {
    const owner = await world.owner(10_000_000);
    const agents = await Promise.all(Array.from({ length: 50 }, () => world.agent()));
    await keepActive(world);
    // Every session of the pool tells what it did so far; it would otherwise do so at some time of its own.
    const flush = () => world.pool.query('select pg_stat_force_next_flush(), pg_sleep(0.1)');
    await Promise.all(Array.from({ length: 8 }, flush));
    const before = await scans(world);
    const writer = world.openWriter();
    // One at a time first: these plans are cached while the tables are empty.
    for (let at = 0; at < 10; at++) await lifecycles(world, 1, [owner], agents, [writer]);
    for (let at = 0; at < 6; at++) await lifecycles(world, 250, [owner], agents.slice(1), [writer]);
    // A session reports its numbers at the latest when it ends.
    await writer.close();
    expect(await scans(world)).toEqual(before);
    expect((await world.pool.query('select count(*)::int as n from tasks')).rows[0].n).toBe(1510);
  } finally {
    await world.close();
  }
});

test('several writers on one database neither deadlock nor fail, and what they do adds up', async () => {
  const world = await createWorld();
  try {
    const deadlocks = async () =>
      (await world.pool.query('select deadlocks from pg_stat_database where datname = current_database()')).rows[0]
        .deadlocks;
    const before = await deadlocks();
    const owners = await Promise.all([1, 2, 3].map(() => world.owner(2_000_000)));
    const agents = await Promise.all(Array.from({ length: 7 }, () => world.agent()));
    const writers = [world.writer, world.openWriter(), world.openWriter()];
    await keepActive(world);
    const outcomes = await lifecycles(world, 900, owners, agents, writers);
    expect(new Set(outcomes)).toEqual(new Set(['ok']));
    expect(outcomes.length).toBe(900 * 5 - 180);
    expect(await faults(world.pool, new Map())).toEqual([]);
    await Promise.all(writers.map((writer) => writer.close()));
    expect(await deadlocks()).toBe(before);
  } finally {
    await world.close();
  }
});
