import { feeBps, splitPrice } from '@agora-market/contract';
import { z } from 'zod';
import { type Db, rows, transaction } from './db.ts';
import { Refusal } from './errors.ts';
import { book, lockAccounts, platform } from './ledger.ts';
import { countPassed, lockTask, logEvents, type Task, uuid } from './records.ts';

export const starting = z.strictObject({ sandboxId: z.string().trim().min(1).max(200) });
export const completion = z.strictObject({
  output: z.record(z.string(), z.unknown()),
  executionTimeMs: z.int().min(0).optional(),
  qualityScore: z.int().min(0).max(100).optional(),
});
type Completion = z.output<typeof completion>;

async function ownTask(db: Db, taskId: string, agentId: string, statuses: string[]): Promise<Task> {
  const task = await lockTask(db, taskId);
  if (!task) throw new Refusal(404, 'TASK_NOT_FOUND');
  if (task.agent_id !== agentId) throw new Refusal(403, 'NOT_A_PARTY');
  if (!statuses.includes(task.status)) throw new Refusal(409, 'TASK_WRONG_STATE');
  return task;
}

export const startTask = (taskId: string, agentId: string, sandboxId: string): Promise<Task> =>
  transaction(async (db) => {
    const task = await ownTask(db, taskId, agentId, ['submitted', 'routing']);
    const at = new Date();
    if (task.input_expires_at === null || task.input_expires_at <= at) throw new Refusal(410, 'INPUT_EXPIRED');
    const deadline = new Date(at.getTime() + task.deadline_ms);
    await rows(
      db,
      'start_task',
      `update tasks set status = 'executing', sandbox_id = $2, started_at = $3, deadline = $4, due_at = $4
       where id = $1`,
      [taskId, sandboxId, at, deadline],
    );
    await logEvents(db, task, at, [
      { type: 'task.started', district: 'tasks', data: { status: 'executing', sandboxId } },
    ]);
    return { ...task, status: 'executing', sandbox_id: sandboxId, started_at: at, deadline };
  });

/** A gate with nothing to measure: an output that is there scores 60. */
function judge(task: Task) {
  const present = task.output !== null && Object.keys(task.output).length > 0;
  const score = present ? 60 : 0;
  const evidence = present ? 'The output is present; by itself it proves nothing.' : 'The output is empty.';
  return {
    score: Math.min(score, task.declared_score ?? 100),
    criteria: [{ name: 'output', score, weight: 0.1, evidence }],
  };
}

/** Resolves the hold: payout into escrow, the fee to the platform, the rest back to the pool. */
async function payOut(db: Db, task: Task, at: Date): Promise<void> {
  const { feeCents, payoutCents } = splitPrice(task.price, feeBps);
  const held = { holder: task.owner_id, kind: 'pool_held' };
  const available = { holder: task.owner_id, kind: 'pool_available' };
  const escrow = { holder: task.agent_id, kind: 'wallet_escrowed' };
  const rest = task.max_budget - task.price;
  const balances = await lockAccounts(db, rest > 0 ? [held, available, escrow] : [held, escrow]);
  await rows(
    db,
    'insert_earnings',
    `insert into earnings (task_id, agent_id, amount, due_at, created_at) values ($1, $2, $3, $4, $5)`,
    [task.id, task.agent_id, payoutCents, new Date(at.getTime() + 900_000), at],
  );
  await book(db, balances, task.id, [
    { cause: 'payout', from: held, to: escrow, amount: payoutCents },
    { cause: 'fee', from: held, to: platform, amount: feeCents },
    ...(rest > 0 ? [{ cause: 'hold_returned', from: held, to: available, amount: rest }] : []),
  ]);
}

/** Delivers, judges and settles in one transaction: its gate takes no time, so no lock is held for it. */
export const completeTask = (taskId: string, agentId: string, body: Completion): Promise<Task> =>
  transaction(async (db) => {
    const found = await ownTask(db, taskId, agentId, ['executing']);
    const at = new Date();
    const { output, executionTimeMs = null, qualityScore = null } = body;
    const task = { ...found, output, declared_score: qualityScore, execution_time_ms: executionTimeMs };
    const { score, criteria } = judge(task);
    await payOut(db, task, at);
    const assessmentId = uuid();
    await rows(
      db,
      'insert_assessment',
      `insert into assessments (id, task_id, score, passed, criteria, created_at) values ($1, $2, $3, true, $4, $5)`,
      [assessmentId, taskId, score, JSON.stringify(criteria), at],
    );
    await rows(
      db,
      'complete_task',
      `update tasks set status = 'completed', output = $2, declared_score = $3, execution_time_ms = $4,
         quality_score = $5, assessment_id = $6, credits_charged = price, finished_at = $7, due_at = null where id = $1`,
      [taskId, JSON.stringify(output), qualityScore, executionTimeMs, score, assessmentId, at],
    );
    const { feeCents: fee, payoutCents: payout } = splitPrice(task.price, feeBps);
    await logEvents(db, task, at, [
      { type: 'task.delivered', district: 'tasks', data: { status: 'quality_check' } },
      {
        type: 'task.completed',
        district: 'tasks',
        data: { status: 'completed', verb: 'pass', qualityScore: score, price: task.price, fee, payout },
      },
    ]);
    await countPassed(db, task.agent_id, score);
    const charged = { credits_charged: task.price, finished_at: at };
    return { ...task, status: 'completed', quality_score: score, assessment_id: assessmentId, ...charged };
  });
