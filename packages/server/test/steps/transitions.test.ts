import { randomUUID } from 'node:crypto';
import {
  can,
  type TaskRole,
  type TaskStatus,
  type TaskVerb,
  taskStatuses,
  taskTransitions,
} from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/verify-ledger.ts';
import {
  deliverStep,
  feedbackStep,
  finishStep,
  reassignStep,
  shortlistStep,
  startStep,
  submitStep,
} from '../../src/tasks/steps/index.ts';
import {
  createWorld,
  deliverItem,
  feedbackItem,
  finishItem,
  iso,
  reassignItem,
  shortlistItem,
  startedAt,
  startItem,
  submitItem,
  type World,
} from './world.ts';

/** The contract's transition table and the SQL steps agree, for every state, every verb and every caller. */

let world: World;
let owner: string;
let agent: string;
let stranger: string;
beforeAll(async () => {
  world = await createWorld();
  owner = await world.owner(1_000_000);
  agent = await world.agent({ seasoned: true });
  stranger = await world.agent();
});
afterAll(() => world.close());

/** Verbs about one of several attempts at a task. */
const aboutAttempts: TaskVerb[] = ['shortlist', 'passOver'];

/** A task brought to a state by the steps themselves, for a verb to be said about it. */
async function taskIn(status: TaskStatus, verb?: TaskVerb): Promise<string> {
  // A suspended agent would take no further task.
  await world.pool.query(`update agents set status = 'active' where id = $1`, [agent]);
  // Smart routing passes an agent over whose hands are full.
  if (status === 'routing') agent = await world.agent({ seasoned: true });
  const item = submitItem(owner, verb === 'assign' && status === 'submitted' ? null : agent);
  const { id } = item;
  const path: Record<TaskStatus, TaskStatus[]> = {
    submitted: [],
    routing: [],
    executing: ['executing'],
    quality_check: ['executing', 'quality_check'],
    completed: ['executing', 'quality_check', 'completed'],
    failed: ['executing', 'failed'],
    refunded: ['executing', 'quality_check', 'completed', 'refunded'],
  };
  const groupTasks = verb && aboutAttempts.includes(verb) ? { groupTasks: [id, randomUUID()] } : {};
  await world.writer.write(submitStep, { ...item, ...groupTasks, routed: status === 'routing' });
  for (const next of path[status]) {
    if (next === 'executing') await world.writer.write(startStep, startItem(id, agent));
    if (next === 'quality_check') await world.writer.write(deliverStep, deliverItem(id, agent));
    if (next === 'completed') await world.writer.write(finishStep, finishItem(id, 'pass', 1000));
    if (next === 'failed') await world.writer.write(finishStep, finishItem(id, 'fail', 1000, { agentId: agent }));
    if (next === 'refunded') await world.writer.write(feedbackStep, feedbackItem(id, 'down'));
  }
  if (verb === 'passOver') await world.writer.write(shortlistStep, shortlistItem(id, 80));
  expect(await statusOf(id)).toBe(status);
  return id;
}

const statusOf = async (id: string): Promise<TaskStatus> =>
  (await world.pool.query('select status from tasks where id = $1', [id])).rows[0].status;

/** Says a verb to the steps as the assigned agent or another one; the platform and buyers are checked by the rules. */
async function say(
  verb: TaskVerb,
  id: string,
  by: string,
): Promise<{ outcome: string; status: string; refunded?: boolean }> {
  const { writer } = world;
  const late = iso(startedAt + 100_000_000);
  switch (verb) {
    case 'start':
      return writer.write(startStep, startItem(id, by));
    case 'complete':
      return writer.write(deliverStep, deliverItem(id, by));
    case 'fail':
      return writer.write(finishStep, finishItem(id, 'fail', 1000, { agentId: by }));
    case 'decline':
      return writer.write(finishStep, finishItem(id, 'decline', 1000, { agentId: by }));
    case 'cancel':
      return writer.write(finishStep, finishItem(id, 'cancel', 1000));
    case 'assign':
      return writer.write(reassignStep, reassignItem(id, null, await world.agent()));
    case 'reassign':
      return writer.write(reassignStep, reassignItem(id, by, await world.agent()));
    case 'pass':
    case 'reject':
    case 'abandon':
    case 'lackInput':
      return writer.write(finishStep, finishItem(id, verb, 1000));
    case 'passOver':
      return writer.write(finishStep, finishItem(id, verb, 1000));
    case 'shortlist':
      return writer.write(shortlistStep, shortlistItem(id, 80));
    case 'expire':
      return writer.write(finishStep, finishItem(id, 'expire', 1000, { at: late }));
    case 'refund':
      return writer.write(feedbackStep, feedbackItem(id, 'down'));
    case 'feedback':
      return writer.write(feedbackStep, feedbackItem(id, 'up'));
  }
}

const verbs = Object.keys(taskTransitions) as TaskVerb[];
const agentVerbs = verbs.filter((verb) => taskTransitions[verb].by === 'assignee');

describe.each(taskStatuses)('a task that is %s', (status) => {
  test.each(verbs)('answers %s as the contract says', async (verb) => {
    const id = await taskIn(status, verb);
    const { by, to } = taskTransitions[verb];
    // The platform has no role in the contract's sense; what it may do is in the table alone.
    const from = taskTransitions[verb].from as readonly TaskStatus[];
    const allowed = by === 'platform' ? from.includes(status) : can[verb]({ status }, by as TaskRole).ok;
    const answer = await say(verb, id, agent);
    expect(answer).toMatchObject({ outcome: allowed ? 'ok' : 'wrong_state', status });
    expect(await statusOf(id)).toBe(allowed ? to : status);
    if (verb === 'refund') expect(answer.refunded).toBe(allowed);
  });

  test.each(agentVerbs)('refuses %s by another agent and stays as it is', async (verb) => {
    const id = await taskIn(status);
    expect(can[verb]({ status }, 'none')).toMatchObject({ ok: false, code: 'NOT_A_PARTY' });
    expect(await say(verb, id, stranger)).toMatchObject({ outcome: 'not_party', status });
    expect(await statusOf(id)).toBe(status);
  });
});

test('a task is expired at its deadline and not a millisecond before', async () => {
  const id = await taskIn('submitted');
  const expire = (ms: number) =>
    world.writer.write(finishStep, finishItem(id, 'expire', 1000, { at: iso(startedAt + 900_000 + ms) }));
  expect((await expire(-1)).outcome).toBe('wrong_state');
  expect((await expire(0)).outcome).toBe('ok');
});

test('a started task is expired at its deadline, though it fell due before', async () => {
  const id = await taskIn('executing');
  const { rows } = await world.pool.query('select due_at, deadline from tasks where id = $1', [id]);
  expect(rows).toEqual([{ due_at: iso(startedAt + 900_000), deadline: iso(startedAt + 3_600_000) }]);
  const expire = (ms: number) =>
    world.writer.write(finishStep, finishItem(id, 'expire', 1000, { at: iso(startedAt + 3_600_000 + ms) }));
  expect((await expire(-1)).outcome).toBe('wrong_state');
  expect((await expire(0)).outcome).toBe('ok');
});

test('thumbs-down refunds up to the last millisecond of the window, and never once the earnings are out', async () => {
  const down = async (ms: number) => {
    const id = await taskIn('completed');
    return (await world.writer.write(feedbackStep, feedbackItem(id, 'down', { at: iso(startedAt + ms) }))).refunded;
  };
  expect(await down(600_000)).toBe(true);
  expect(await down(600_001)).toBe(false);
  const id = await taskIn('completed');
  await world.pool.query('begin');
  await world.pool.query('select vault_release_earnings($1, 1000)', [iso(startedAt + 900_000)]);
  await world.pool.query('commit');
  expect(await world.writer.write(feedbackStep, feedbackItem(id, 'down'))).toMatchObject({
    outcome: 'ok',
    refunded: false,
  });
});

test('the ledger is clean after every transition', async () => {
  expect((await verifyLedger(world.url)).filter((check) => check.broken.length > 0)).toEqual([]);
});
