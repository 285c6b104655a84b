import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/verify-ledger.ts';
import { createPool, transaction } from '../../src/platform/index.ts';
import { attachSandbox } from '../../src/tasks/sql.ts';
import { deliverStep, feedbackStep, finishStep, startStep, submitStep } from '../../src/tasks/steps/index.ts';
import {
  connect,
  createWorld,
  deliverItem,
  feedbackItem,
  finishItem,
  startItem,
  submitItem,
  until,
  type World,
} from './world.ts';

/** Ordinary transactions change the same rows as the steps do. A step waits for them and then sees what they did. */

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Runs `step` while another transaction holds what `hold` changed, and lets that one commit once the step waits. */
async function overlapping<R>(
  hold: (db: Awaited<ReturnType<typeof connect>>) => Promise<unknown>,
  step: () => Promise<R>,
) {
  const other = await connect(world.url);
  try {
    await other.query('begin');
    await hold(other);
    const running = step();
    await until('the step waits for the other transaction', async () => {
      const { rows } = await world.pool.query(
        `select count(*)::int as n from pg_locks where not granted and locktype in ('transactionid', 'tuple')`,
      );
      return rows[0].n > 0;
    });
    await other.query('commit');
    return await running;
  } finally {
    await other.end();
  }
}

async function task(upTo: 'submitted' | 'executing' | 'quality_check' | 'completed') {
  const owner = await world.owner(10_000);
  const agent = await world.agent();
  const submitted = submitItem(owner, agent);
  const steps = [
    () => world.writer.write(submitStep, submitted),
    () => world.writer.write(startStep, startItem(submitted.id, agent)),
    () => world.writer.write(deliverStep, deliverItem(submitted.id, agent)),
    () => world.writer.write(finishStep, finishItem(submitted.id, 'pass', 1000)),
  ];
  const last = ['submitted', 'executing', 'quality_check', 'completed'].indexOf(upTo);
  for (const step of steps.slice(0, last + 1)) expect((await step()).outcome).toBe('ok');
  return { id: submitted.id, owner, agent };
}

const statusOf = async (id: string) =>
  (await world.pool.query('select status from tasks where id = $1', [id])).rows[0].status;

test('a start that waits for a sandbox being attached starts the task, under the attached sandbox only', async () => {
  const { id, agent } = await task('submitted');
  const outcome = await overlapping(
    (db) => attachSandbox(db, { id, agentId: agent }, 'sbx_attached'),
    () => world.writer.write(startStep, startItem(id, agent, { sandboxId: 'sbx_attached' })),
  );
  expect(outcome.outcome).toBe('ok');
  expect(await statusOf(id)).toBe('executing');
  const other = await task('submitted');
  const refused = await overlapping(
    (db) => attachSandbox(db, { id: other.id, agentId: other.agent }, 'sbx_attached'),
    () => world.writer.write(startStep, startItem(other.id, other.agent, { sandboxId: 'sbx_alias' })),
  );
  expect(refused.outcome).toBe('sandbox_mismatch');
  expect(await statusOf(other.id)).toBe('submitted');
});

test('a delivery that waits for an input being erased is stored', async () => {
  const { id, agent } = await task('executing');
  await overlapping(
    (db) => db.query('update tasks set input_expires_at = null where id = $1', [id]),
    () => world.writer.write(deliverStep, deliverItem(id, agent)),
  );
  expect(await statusOf(id)).toBe('quality_check');
});

test('a verdict that waits for the lease of its gate ends the task', async () => {
  const { id } = await task('quality_check');
  await overlapping(
    (db) => db.query(`update tasks set due_at = due_at + interval '1 minute', attempts = 2 where id = $1`, [id]),
    () => world.writer.write(finishStep, finishItem(id, 'pass', 1000)),
  );
  expect(await statusOf(id)).toBe('completed');
});

test('a refund that waits for another change of the task refunds it', async () => {
  const { id } = await task('completed');
  const outcome = await overlapping(
    (db) => db.query(`update tasks set input = '{}' where id = $1`, [id]),
    () => world.writer.write(feedbackStep, feedbackItem(id, 'down')),
  );
  expect(outcome).toMatchObject({ outcome: 'ok', refunded: true });
  expect(await statusOf(id)).toBe('refunded');
});

test('a session that ends in the middle of an ordinary transaction fails it, and not the process', async () => {
  const lost: Error[] = [];
  const pool = createPool(world.url, (error) => lost.push(error), { max: 1 });
  const work = transaction(pool, 'write', async (tx) => {
    const { rows } = await tx.query('select pg_backend_pid() as pid');
    await world.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    // Nobody waits for an answer of the session when its end arrives.
    await expect.poll(() => lost.length).toBeGreaterThan(0);
    await tx.query('select 1');
  });
  await expect(work).rejects.toThrow();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('the ledger is clean after all these races', async () => {
  expect((await verifyLedger(world.url)).filter((check) => check.broken.length > 0)).toEqual([]);
});
