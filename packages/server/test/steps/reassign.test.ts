import { openTasksByTier } from '@agora-market/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/verify-ledger.ts';
import { transaction } from '../../src/platform/index.ts';
import { finishStep, startStep, submitStep } from '../../src/tasks/steps/index.ts';
import { type ReassignItem, reassignStep } from '../../src/tasks/steps/reassign.ts';
import { runStep } from './run-step.ts';
import { createWorld, finishItem, iso, reassignItem, startedAt, startItem, submitItem, type World } from './world.ts';

/** A batch of reassignments has the outcomes and effects of its items one after the other. */

let world: World;
let buyer: string;
beforeAll(async () => {
  world = await createWorld();
  buyer = await world.owner(10_000_000);
});
afterAll(() => world.close());

interface ModelTask {
  agent: string;
  status: string;
  had: string[];
  dueAt: number;
  price: number;
}

/** What the step does with one item, written down plainly. */
function reassign(
  tasks: Map<string, ModelTask>,
  room: (agent: string) => number,
  gone: Set<string>,
  item: ReassignItem,
) {
  const task = tasks.get(item.taskId)!;
  const at = Date.parse(item.at);
  if (task.agent !== item.fromAgentId) return 'not_party';
  if (task.status !== 'routing') return 'wrong_state';
  if (item.because === 'not_accepted' && task.dueAt > at) return 'not_due';
  const had = [...task.had, task.agent];
  if (had.length >= item.tries || had.includes(item.agentId)) return 'tried';
  if (gone.has(item.agentId)) return 'agent_gone';
  if (item.baseRate !== null) return 'agent_changed';
  if (room(item.agentId) <= 0) return 'agent_full';
  Object.assign(task, { agent: item.agentId, had, dueAt: Date.parse(item.acceptBy), price: item.price });
  return 'ok';
}

const command = fc.record({
  task: fc.nat(1000),
  to: fc.nat(4),
  wrongFrom: fc.nat(9).map((n) => n === 0),
  because: fc.constantFrom('declined', 'declined', 'not_accepted' as const),
  late: fc.boolean(),
  dear: fc.nat(9).map((n) => n === 0),
});

test('any batches have the outcomes and effects of the same items one after the other', async () => {
  const batches = fc.array(fc.array(command, { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 8 });
  const property = fc.asyncProperty(batches, async (rounds) => {
    const agents = await Promise.all([
      world.agent(),
      world.agent(),
      world.agent({ seasoned: true }),
      world.agent({ seasoned: true }),
      world.agent({ status: 'deactivated' }),
    ]);
    const gone = new Set([agents[4]!]);
    const tasks = new Map<string, ModelTask>();
    const capacity = (agent: string) => openTasksByTier[agents.indexOf(agent) < 2 ? 'unverified' : 'established'];
    const room = (agent: string) =>
      capacity(agent) -
      [...tasks.values()].filter((task) => task.agent === agent && task.status !== 'submitted').length;
    const acceptBy = iso(startedAt + 900_000);
    // Each agent is full but for one place; direct hires take none.
    for (const agent of agents.slice(0, 4)) {
      for (let each = 0; each <= Math.max(1, capacity(agent) - 1); each++) {
        const item = submitItem(buyer, agent, { routed: each > 0, dueAt: acceptBy });
        expect((await world.writer.write(submitStep, item)).outcome).toBe('ok');
        const status = each > 0 ? 'routing' : 'submitted';
        tasks.set(item.id, { agent, status, had: [], dueAt: startedAt + 900_000, price: 1000 });
      }
    }
    const [started] = [...tasks].find(([, { status }]) => status === 'routing')!;
    await world.writer.write(startStep, startItem(started, tasks.get(started)!.agent));
    tasks.get(started)!.status = 'executing';
    for (const commands of rounds) {
      const items = new Map<string, ReassignItem>();
      for (const each of commands) {
        const id = [...tasks.keys()][each.task % tasks.size]!;
        const from = each.wrongFrom ? agents[each.to]! : tasks.get(id)!.agent;
        const at = startedAt + (each.late ? 900_000 : 1);
        const fields = { because: each.because, at: iso(at), price: 1 + each.to, baseRate: each.dear ? 5 : null };
        items.set(id, reassignItem(id, from, agents[each.to]!, fields));
      }
      const outcomes = await transaction(world.pool, 'ledger', (tx) => runStep(tx, reassignStep, [...items.values()]));
      for (const [at, item] of [...items.values()].entries())
        expect(`${item.because} ${outcomes[at]?.outcome}`).toBe(`${item.because} ${reassign(tasks, room, gone, item)}`);
      const { rows } = await world.pool.query(
        `select id, agent_id as agent, status, coalesce(earlier_agents, '{}') as had, due_at as due, price::int as price
         from tasks where id = any($1) order by id`,
        [[...tasks.keys()]],
      );
      const wanted = [...tasks].sort(([a], [b]) => (a < b ? -1 : 1));
      expect(rows.filter(({ id }) => id !== started)).toEqual(
        wanted.filter(([id]) => id !== started).map(([id, { dueAt, ...task }]) => ({ id, ...task, due: iso(dueAt) })),
      );
    }
  });
  await fc.assert(property, { numRuns: 25 });
  expect((await verifyLedger(world.url)).filter((check) => check.broken.length > 0)).toEqual([]);
});

test('agents that are full and swap tasks get them: the first of a batch always has room', async () => {
  const [full, other] = [await world.agent({ seasoned: true }), await world.agent({ seasoned: true })];
  const held = async (agent: string) => {
    const item = submitItem(buyer, agent, { routed: true });
    expect((await world.writer.write(submitStep, item)).outcome).toBe('ok');
    return item.id;
  };
  const places = openTasksByTier.established;
  const ofFull = [];
  for (let n = 0; n < places; n++) ofFull.push(await held(full));
  const ofOther = [];
  for (let n = 0; n < places - 1; n++) ofOther.push(await held(other));
  const items = [
    reassignItem(ofFull[0]!, full, other),
    reassignItem(ofOther[0]!, other, full),
    reassignItem(ofFull[1]!, full, other),
  ];
  const outcomes = await transaction(world.pool, 'ledger', (tx) => runStep(tx, reassignStep, items));
  expect(outcomes.map((each) => each?.outcome)).toEqual(['ok', 'ok', 'ok']);
});

describe('one task', () => {
  const routed = async (fields: Parameters<typeof submitItem>[2] = {}) => {
    const agent = await world.agent();
    const item = submitItem(buyer, agent, { routed: true, ...fields });
    await world.writer.write(submitStep, item);
    return { id: item.id, agent };
  };

  test('keeps its hold, tells who lost it and who has it, and is counted for the new agent alone', async () => {
    const { id, agent } = await routed();
    const next = await world.agent();
    const woken: string[] = [];
    world.hub.subscribe(`agent:${next}`, () => woken.push('new'));
    world.hub.subscribe(`agent:${agent}`, () => woken.push('old'));
    world.hub.subscribe(`task:${id}`, () => woken.push('task'));
    expect(await world.writer.write(reassignStep, reassignItem(id, agent, next, { price: 7 }))).toMatchObject({
      outcome: 'ok',
      status: 'routing',
    });
    expect(woken.sort()).toEqual(['new', 'task']);
    const { rows: events } = await world.pool.query(
      'select type, agent_id as agent, data from events where task_id = $1 order by seq',
      [id],
    );
    expect(events.slice(1)).toEqual([
      { type: 'task.unassigned', agent, data: { agentId: agent, because: 'declined', reason: null } },
      { type: 'task.assigned', agent: next, data: { status: 'routing', price: 7, agentId: next, attempt: 2 } },
    ]);
    const { rows: open } = await world.pool.query(
      'select agent_id as agent, open_tasks::int as open from agent_stats where agent_id = any($1)',
      [[agent, next]],
    );
    expect(new Map(open.map((row) => [row.agent, row.open]))).toEqual(
      new Map([
        [agent, 0],
        [next, 1],
      ]),
    );
    const { rows: money } = await world.pool.query('select cause from ledger_transfers where subject = $1', [id]);
    expect(money).toEqual([{ cause: 'hold' }]);
  });

  test('is never offered beyond the end of its input', async () => {
    const { id, agent } = await routed({ inputExpiresAt: iso(startedAt + 1_000) });
    const at = (ms: number) => ({ at: iso(startedAt + ms) });
    const step = async (from: string, to: string, ms: number) =>
      (await world.writer.write(reassignStep, reassignItem(id, from, to, at(ms)))).outcome;
    const [second, third] = [await world.agent(), await world.agent()];
    expect(await step(agent, second, 999)).toBe('ok');
    const { rows } = await world.pool.query('select accept_by as by, due_at as due from tasks where id = $1', [id]);
    expect(rows[0]).toEqual({ by: iso(startedAt + 1_000), due: iso(startedAt + 1_000) });
    expect(await step(second, third, 1_000)).toBe('tried');
  });

  test('never goes to an agent of the owner that pays, nor to a price above the budget', async () => {
    const { id, agent } = await routed();
    const own = await world.agent();
    await world.pool.query('update agents set owner_id = $1 where id = $2', [buyer, own]);
    expect((await world.writer.write(reassignStep, reassignItem(id, agent, own))).outcome).toBe('agent_gone');
    const dear = reassignItem(id, agent, await world.agent(), { price: 1001 });
    await expect(world.writer.write(reassignStep, dear)).rejects.toMatchObject({ code: '23514' });
    expect((await world.writer.write(finishStep, finishItem(id, 'cancel', 0))).outcome).toBe('ok');
  });
});
