import { markAccepted } from '../../src/disputes/sql.ts';
import { transaction } from '../../src/platform/index.ts';
import { deliverStep, feedbackStep, finishStep, startStep, submitStep } from '../../src/tasks/steps/index.ts';
import { chargeAccepted } from '../../src/vault/index.ts';
import { releaseBatch } from '../../src/vault/sql.ts';
import {
  createWorld,
  deliverItem,
  feedbackItem,
  finishItem,
  iso,
  startedAt,
  startItem,
  submitItem,
  type World,
} from '../steps/world.ts';
import { makeDisputes } from './dispute-defects.ts';
import { makeEscrows } from './escrow-defects.ts';
import { makeReversals } from './reversal-defects.ts';
import { makeWalletMoves } from './wallet-move-defects.ts';
import { makeWithdrawals } from './withdrawal-defects.ts';

interface MovedWorld {
  world: World;
  owner: string;
  agent: string;
  /** What money was moved about, by how far it came. */
  subjects: Record<string, string>;
}

/** The buyer pays for the failed work after all. */
const accept = (world: World, taskId: string, { owner, agent }: { owner: string; agent: string }) =>
  transaction(world.pool, 'ledger', async (tx) => {
    const at = new Date(startedAt);
    const of = { taskId, ownerId: owner, agentId: agent, priceCents: 700, feeBps: 1500 };
    await chargeAccepted(tx, { ...of, releaseAt: new Date(startedAt + 900_000) }, at);
    await markAccepted(tx, taskId, at);
  });

/** A ledger with transfers of every cause, all in order. */
export async function moveMoneyInEveryWay(): Promise<MovedWorld> {
  const world = await createWorld();
  const owner = await world.owner(50_000);
  const agent = await world.agent();
  const subjects: Record<string, string> = {};
  const { writer } = world;
  for (const name of ['open', 'executing', 'passed', 'released', 'refunded', 'failed', 'accepted']) {
    const item = submitItem(owner, agent, { price: 700 });
    subjects[name] = item.id;
    await writer.write(submitStep, item);
    if (name !== 'open') await writer.write(startStep, startItem(item.id, agent));
    if (['open', 'executing'].includes(name)) continue;
    await writer.write(deliverStep, deliverItem(item.id, agent));
    await writer.write(
      finishStep,
      finishItem(item.id, ['failed', 'accepted'].includes(name) ? 'reject' : 'pass', 700, {
        ...(name === 'released' && { releaseAt: iso(startedAt + 1) }),
      }),
    );
    if (name === 'accepted') await accept(world, item.id, { owner, agent });
    if (name === 'refunded') await writer.write(feedbackStep, feedbackItem(item.id, 'down'));
    const due = new Date(startedAt + 1);
    if (name === 'released') await transaction(world.pool, 'ledger', (tx) => releaseBatch(tx, due, 1, 0));
  }
  Object.assign(subjects, await makeWithdrawals(world.pool, agent));
  Object.assign(subjects, await makeWalletMoves(world, agent));
  Object.assign(subjects, await makeReversals(world, owner));
  Object.assign(subjects, await makeDisputes(world, owner));
  Object.assign(subjects, await makeEscrows(world, owner));
  return { world, owner, agent, subjects };
}

/** Takes triggers and constraints away, so that defects can be planted as a broken disk or a hand in the database would. */
export const makeDefenceless = ({ pool }: World) =>
  pool.query(`alter table ledger_transfers disable trigger all;
    drop index ledger_transfers_hold_resolved_once;
    alter table ledger_transfers drop constraint ledger_transfers_pkey; do $$
    declare r record; begin
      for r in select conname, conrelid::regclass as relation from pg_constraint where contype in ('c', 'f') and
        conrelid::regclass::text in
          ('ledger_transfers', 'ledger_accounts', 'earnings', 'tasks', 'agents', 'agent_stats', 'withdrawals', 'wallet_moves',
           'top_up_reversals', 'disputes', 'dispute_statements', 'agreements', 'work_requests')
      loop execute format('alter table %s drop constraint %I', r.relation, r.conname); end loop;
    end $$`);
