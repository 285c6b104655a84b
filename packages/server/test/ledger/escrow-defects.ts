import { randomUUID } from 'node:crypto';
import { transaction } from '../../src/platform/index.ts';
import { holdEscrow, releaseEscrow, settleEscrow } from '../../src/vault/index.ts';
import { transfer } from '../../src/vault/ledger/transfer.ts';
import { allocatedOf } from '../../src/vault/ledger/wallet.ts';
import { insertMove } from '../../src/vault/wallets/move-sql.ts';
import { iso, startedAt, type World } from '../steps/world.ts';

/** Cents. The fee is 105, the payout 595. */
const priceCents = 700;

interface Way {
  status: 'active' | 'completed' | 'cancelled';
  /** Cents. */
  refunded: number;
  /** Whether its earnings are out. */
  isOut: boolean;
  /** Cents of the price that the buyer earned; its owner allocates the rest. */
  earned: number;
}

/** How far an agreement came. */
const ways: Record<string, Way> = {
  'escrow open': { status: 'active', refunded: 0, isOut: false, earned: 0 },
  'escrow paid': { status: 'completed', refunded: 0, isOut: false, earned: 300 },
  'escrow released': { status: 'completed', refunded: 0, isOut: true, earned: 0 },
  'escrow split': { status: 'completed', refunded: 200, isOut: false, earned: 50 },
  // What it gives back would pay for others.
  'escrow returned': { status: 'cancelled', refunded: priceCents, isOut: false, earned: 200 },
};

async function allocate({ pool }: World, owner: string, agent: string, amount: number): Promise<void> {
  const at = new Date(startedAt);
  await transaction(pool, 'ledger', async (tx) => {
    const id = randomUUID();
    const sides = { ownerId: owner, fromAgentId: null, toAgentId: agent };
    await insertMove(tx, { id, cause: 'allocation', ...sides, amount, allocated: amount, correlationId: 'test', at });
    const from = { holder: owner, kind: 'pool_available' } as const;
    await transfer(tx, [{ subject: id, cause: 'allocation', from, to: allocatedOf(agent), amount, at }]);
  });
}

async function agentOf(world: World, owner: string): Promise<string> {
  const agent = await world.agent();
  await world.pool.query('update agents set owner_id = $2 where id = $1', [agent, owner]);
  return agent;
}

/** An agreement that came so far; what its buyer lacks of the price, its owner allocates. */
async function agree(world: World, owner: string, buyer: string, seller: string, way: Way): Promise<string> {
  const { status, refunded, isOut, earned } = way;
  const [id, at, hasEnded] = [randomUUID(), new Date(startedAt), status !== 'active'];
  await allocate(world, owner, buyer, priceCents - earned);
  await transaction(world.pool, 'ledger', async (tx) => {
    await tx.query(
      `with request as (
         insert into work_requests (id, buyer_agent_id, buyer_owner_id, title, description, category, budget_min,
           budget_max, bidding_closes_at, deadline, selection_mode, eligibility, status, correlation_id, created_at)
         select gen_random_uuid(), id, owner_id, 't', 'd', 'general', 0, $3, $4, $4::timestamptz + interval '1 day',
           'manual', '{}', 'in_progress', 'test', $4 from agents where id = $2 returning *
       )
       insert into agreements (id, request_id, buyer_agent_id, buyer_owner_id, seller_agent_id, seller_owner_id, price,
         fee_bps, refunded, status, deadline, withdraw_by, due_at, ended_at, ended_because, correlation_id, created_at)
       select $1, r.id, r.buyer_agent_id, r.buyer_owner_id, s.id, s.owner_id, $3, 1500, $6, $7, r.deadline, r.deadline,
         case when $8 then null else r.deadline end, case when $9 then r.created_at end,
         case when $9 then 'dispute' end, 'test', r.created_at
       from request r, agents s where s.id = $5`,
      [id, buyer, priceCents, iso(startedAt), seller, refunded, status, isOut || status === 'cancelled', hasEnded],
    );
    const escrow = { agreementId: id, buyerAgentId: buyer, sellerAgentId: seller, priceCents };
    await holdEscrow(tx, escrow, at);
    if (!hasEnded) return;
    const { payoutCents } = await settleEscrow(tx, escrow, { refundCents: refunded, feeBps: 1500 }, at);
    const released = { agreementId: id, sellerAgentId: seller, buyerOwnerId: owner, payoutCents };
    if (isOut) await releaseEscrow(tx, released, at, 0);
  });
  return id;
}

/** Agreements of the legacy exchange by how far they came, paid out of what their buyer earned and was allocated. */
export async function makeEscrows(world: World, owner: string): Promise<Record<string, string>> {
  const [buyer, seller] = [await agentOf(world, owner), await world.agent()];
  const patron = await world.owner(priceCents);
  const earning: Way = { status: 'completed', refunded: 0, isOut: true, earned: 0 };
  await agree(world, patron, await agentOf(world, patron), buyer, earning);
  const made: Record<string, string> = {};
  for (const [name, way] of Object.entries(ways)) made[name] = await agree(world, owner, buyer, seller, way);
  return made;
}

const holds = 'the escrow of every agreement holds';
const gave = 'every agreement gave back';
const released = 'the payout of every completed agreement';
const origin = 'what an escrow gave back went to where it came from';
const ofAgreement = (change: string) => `update agreements set ${change} where id = $1`;

/** What to plant, and how the name of the check begins that must speak. */
export const escrowDefects: [name: string, defect: string, check: string, subject?: string][] = [
  ['an agreement at another price than was escrowed', ofAgreement('price = price + 1'), holds, 'escrow open'],
  [
    'an escrow that was taken for nothing',
    `delete from agreements where id = $1`,
    'every entry is about',
    'escrow open',
  ],
  [
    'an ended agreement whose escrow is still held',
    ofAgreement(`status = 'cancelled', refunded = price, due_at = null`),
    holds,
    'escrow open',
  ],
  [
    'an open agreement whose escrow is gone',
    ofAgreement(`status = 'evaluating', due_at = now()`),
    holds,
    'escrow paid',
  ],
  ['an agreement that says it gave back less', ofAgreement('refunded = refunded - 1'), gave, 'escrow split'],
  ['an agreement of another fee', ofAgreement('fee_bps = fee_bps + 100'), gave, 'escrow paid'],
  [
    'allocated credits that came back as earnings',
    `update ledger_transfers set cause = 'escrow_split', to_kind = 'wallet_available'
       where subject = $1 and cause = 'escrow_split_allocated'`,
    origin,
    'escrow split',
  ],
  ['earnings that are out and said to wait', ofAgreement('due_at = now()'), released, 'escrow released'],
  ['earnings that wait and are said to be out', ofAgreement('due_at = null'), released, 'escrow paid'],
  [
    'an escrow of somebody else than the buyer',
    ofAgreement('buyer_agent_id = seller_agent_id'),
    'credits escrowed equal',
    'escrow open',
  ],
];
