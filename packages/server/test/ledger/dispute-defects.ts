import { randomUUID } from 'node:crypto';
import { type DisputeOutcome, toId, toUuid } from '@agora-market/contract';
import { disputeRoutes } from '../../src/disputes/index.ts';
import { manualClock, readConfig, transaction } from '../../src/platform/index.ts';
import { deliverStep, finishStep, startStep, submitStep } from '../../src/tasks/steps/index.ts';
import { transfer } from '../../src/vault/ledger/transfer.ts';
import { releaseBatch } from '../../src/vault/sql.ts';
import { insertMove } from '../../src/vault/wallets/move-sql.ts';
import { deliverItem, finishItem, iso, startedAt, startItem, submitItem, type World } from '../steps/world.ts';
import { createInvoke } from '../support/invoke.ts';

/**
 * Disputed tasks at 700 cents by what became of them: `disputed` is open; `lost` and `shared` were decided while the
 * earnings were escrowed; `late` once these were out and most of them gone, so that the reserve paid as well.
 */
export async function makeDisputes(world: World, owner: string): Promise<Record<string, string>> {
  const { pool, writer } = world;
  const clock = manualClock(new Date(startedAt + 600_001));
  const invoke = createInvoke(
    { pool, clock },
    disputeRoutes({ pool, clock, config: readConfig({}), otherAssessment: async () => null } as never),
  );
  const caller = { kind: 'owner', ownerId: owner, plan: 'free', credential: { type: 'token', id: owner } } as const;
  const agent = await world.agent();
  const made: Record<string, string> = {};
  const ids: Record<string, string> = {};
  const pass = async (name: string) => {
    const item = submitItem(owner, agent, { price: 700 });
    made[name] = item.id;
    await writer.write(submitStep, item);
    await writer.write(startStep, startItem(item.id, agent));
    await writer.write(deliverStep, deliverItem(item.id, agent));
    const due = name === 'late' && { releaseAt: iso(startedAt + 1) };
    await writer.write(finishStep, finishItem(item.id, 'pass', 700, { ...due }));
  };
  const file = async (name: string) => {
    const params = { taskId: toId('task', made[name] as string) };
    ids[name] = (await invoke('tasks.dispute', { caller, params, body: { reason: 'Not what I asked for' } })).id;
  };
  const resolve = (name: string, outcome: DisputeOutcome, share?: number) =>
    invoke('courts.resolveDispute', {
      caller: { kind: 'operator' },
      params: { disputeId: ids[name] as string },
      body: { outcome, note: 'Decided', ...(share !== undefined && { share }) },
    });
  for (const name of ['disputed', 'lost', 'shared', 'late']) await pass(name);
  for (const name of ['disputed', 'lost', 'shared']) await file(name);
  await resolve('lost', 'buyer_wins');
  await transaction(pool, 'ledger', (tx) => releaseBatch(tx, new Date(startedAt + 1), 1, 0));
  await empty(world, agent, 400);
  await file('late');
  await resolve('late', 'buyer_wins');
  await resolve('shared', 'split', 30);
  for (const [name, id] of Object.entries(ids)) made[`dispute ${name}`] = toUuid('dispute', id) as string;
  return made;
}

/** The agent's owner takes credits out of its wallet. */
async function empty({ pool }: World, agent: string, amount: number): Promise<void> {
  const { rows } = await pool.query('select owner_id as owner from agents where id = $1', [agent]);
  const ownerId = rows[0].owner as string;
  const [id, at] = [randomUUID(), new Date(startedAt + 1)];
  await transaction(pool, 'ledger', async (tx) => {
    const parties = { ownerId, fromAgentId: agent, toAgentId: null };
    await insertMove(tx, { id, cause: 'reclaim', ...parties, amount, allocated: 0, correlationId: 'test', at });
    const from = { holder: agent, kind: 'wallet_available' } as const;
    const to = { holder: ownerId, kind: 'pool_available' } as const;
    await transfer(tx, [{ subject: id, cause: 'reclaim', from, to, amount, at }]);
  });
}

const ofDispute = (change: string) => `update disputes set ${change} where id = $1`;
const between = 'every dispute is between';
const gave = 'every dispute gave back';
const exists = 'no dispute is paid back';
const share = 'of what a dispute gave back';
const frozen = 'earnings are frozen as long';
const took = 'what a dispute took';
const reserve = 'the reserve pays only';
const ended = 'a task whose buyer won';

/** What to plant, and how the name of the check begins that must speak. */
export const disputeDefects: [name: string, defect: string, check: string, subject?: string][] = [
  ['a dispute of no task', ofDispute('task_id = gen_random_uuid()'), between, 'dispute disputed'],
  ['a dispute by somebody else', ofDispute('owner_id = gen_random_uuid()'), between, 'dispute disputed'],
  ['a dispute against somebody else', ofDispute('agent_id = gen_random_uuid()'), between, 'dispute disputed'],
  ['a dispute of a failed task', `update tasks set status = 'failed' where id = $1`, between, 'disputed'],
  ['a dispute that says it gave back less', ofDispute('refunded = refunded - 1'), gave, 'dispute shared'],
  ['a share that was not given back', ofDispute('share = share + 1'), gave, 'dispute shared'],
  ['a seller who won and paid', ofDispute(`outcome = 'seller_wins'`), gave, 'dispute lost'],
  [
    'an open dispute that gave back something',
    ofDispute(`status = 'filed', outcome = null, due_at = now()`),
    gave,
    'dispute late',
  ],
  ['credits given back for a dispute that is gone', 'delete from disputes where id = $1', exists, 'dispute late'],
  [
    'a fee that the agent paid back',
    `update ledger_transfers set amount = amount + case cause when 'dispute_fee_refunded' then -3 else 3 end
      where subject = $1 and cause in ('dispute_fee_refunded', 'dispute_payout_refunded')`,
    share,
    'shared',
  ],
  [
    'earnings released while their dispute is open',
    `update earnings set status = 'released' where task_id = $1`,
    frozen,
    'disputed',
  ],
  ['earnings frozen by nobody', `update earnings set status = 'frozen' where task_id = $1`, frozen, 'passed'],
  [
    'earnings still frozen when all is decided',
    `update earnings set status = 'frozen' where task_id = $1`,
    frozen,
    'lost',
  ],
  ['escrow taken that was out already', ofDispute('froze = false'), took, 'dispute lost'],
  ['a wallet debited for what was in escrow', ofDispute('froze = true'), took, 'dispute late'],
  [
    'a reserve that pays although the wallet could',
    `update ledger_transfers set from_before = from_before + 100 where subject = $1 and cause = 'dispute_debited'`,
    reserve,
    'late',
  ],
  ['a lost task that stays completed', `update tasks set status = 'completed' where id = $1`, ended, 'lost'],
  ['a shared task that is refunded', `update tasks set status = 'refunded' where id = $1`, ended, 'shared'],
];
