import { agreedPrice, feeBps, taskTypes } from '@agora-market/contract';
import { z } from 'zod';
import { pool, rows, transaction } from './db.ts';
import { Refusal } from './errors.ts';
import { book, lockAccounts } from './ledger.ts';
import { countAssigned, logEvents, type Task, uuid } from './records.ts';

export const submission = z.strictObject({
  taskType: z.enum(taskTypes),
  maxBudget: z.int().min(1).max(1_000_000_000),
  agentId: z.string().regex(/^agt_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
  input: z.looseObject({ description: z.string().max(100_000).optional() }),
});
type Submission = z.output<typeof submission>;

const minutes = (at: Date, count: number) => new Date(at.getTime() + count * 60_000);

async function hireableAgent(agentId: string, ownerId: string): Promise<number | null> {
  const [agent] = await rows<{ owner_id: string; status: string; base_rate_cents: number | null; owner: string }>(
    pool,
    'hireable',
    `select a.owner_id, a.status, a.base_rate_cents, o.status as owner from agents a join owners o on o.id = a.owner_id
     where a.id = $1`,
    [agentId],
  );
  if (!agent) throw new Refusal(404, 'AGENT_NOT_FOUND');
  if (agent.owner_id === ownerId) throw new Refusal(403, 'SAME_OWNER');
  if (agent.status !== 'active' || agent.owner !== 'active') throw new Refusal(409, 'AGENT_NOT_ACTIVE');
  return agent.base_rate_cents;
}

/** Stores the task and holds its budget, in one transaction. */
export async function submitTask(ownerId: string, agentId: string, body: Submission, correlationId: string) {
  const baseRate = await hireableAgent(agentId, ownerId);
  const at = new Date();
  return transaction(async (db) => {
    const available = { holder: ownerId, kind: 'pool_available' };
    const held = { holder: ownerId, kind: 'pool_held' };
    const balances = await lockAccounts(db, [available, held]);
    const amount = body.maxBudget;
    if ((balances.get(`${ownerId} pool_available`) ?? 0) < amount) throw new Refusal(402, 'INSUFFICIENT_CREDITS');
    const [task] = await rows<Task>(
      db,
      'insert_task',
      `insert into tasks (id, owner_id, agent_id, task_type, max_budget, price, fee_bps, input, input_expires_at, status,
         correlation_id, deadline_ms, created_at, assigned_at, accept_by, due_at)
       values ($1, $2, $3, $4, $5, $6, ${feeBps}, $7, $8, 'submitted', $9, 3600000, $10, $10, $11, $11) returning *`,
      [
        uuid(),
        ownerId,
        agentId,
        body.taskType,
        amount,
        agreedPrice(amount, baseRate),
        JSON.stringify(body.input),
        minutes(at, 1440),
        correlationId,
        at,
        minutes(at, 15),
      ],
    );
    if (!task) throw new Error('the task was not stored');
    await book(db, balances, task.id, [{ cause: 'hold', from: available, to: held, amount }]);
    await logEvents(db, task, at, [
      {
        type: 'task.submitted',
        district: 'tasks',
        data: { taskType: task.task_type, maxBudget: amount, price: task.price, status: 'submitted' },
      },
    ]);
    await countAssigned(db, agentId);
    return task;
  });
}
