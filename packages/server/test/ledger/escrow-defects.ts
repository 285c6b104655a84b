import { randomUUID } from 'node:crypto';
import { transaction } from '../../src/platform/index.ts';
import { holdEscrow, releaseEscrow, settleEscrow } from '../../src/vault/index.ts';
import { transfer } from '../../src/vault/ledger/transfer.ts';
import { insertMove } from '../../src/vault/wallets/move-sql.ts';
import { iso, startedAt, type World } from '../steps/world.ts';

/** Cents. The fee is 105, the payout 595. */
const priceCents = 700;

/** How far an agreement came: status, cents refunded, whether its earnings are out. */
const ways = {
  'escrow open': { status: 'active', refunded: 0, isOut: false },
  'escrow paid': { status: 'completed', refunded: 0, isOut: false },
  'escrow released': { status: 'completed', refunded: 0, isOut: true },
  'escrow returned': { status: 'cancelled', refunded: priceCents, isOut: false },
  'escrow split': { status: 'completed', refunded: 200, isOut: false },
} as const;

/** Agreements of the legacy exchange by how far they came. The owner gives the buyer its credits. */
export async function makeEscrows(world: World, owner: string): Promise<Record<string, string>> {
  const [buyer, seller] = [await world.agent(), await world.agent()];
  await world.pool.query('update agents set owner_id = $2 where id = $1', [buyer, owner]);
  const at = new Date(startedAt);
  const made: Record<string, string> = {};
  await transaction(world.pool, 'ledger', async (tx) => {
    const [id, amount] = [randomUUID(), priceCents * Object.keys(ways).length];
    const sides = { ownerId: owner, fromAgentId: null, toAgentId: buyer };
    await insertMove(tx, { id, cause: 'allocation', ...sides, amount, correlationId: 'test', at });
    const from = { holder: owner, kind: 'pool_available' } as const;
    await transfer(tx, [
      { subject: id, cause: 'allocation', from, to: { holder: buyer, kind: 'wallet_available' }, amount, at },
    ]);
  });
  for (const [way, { status, refunded, isOut }] of Object.entries(ways)) {
    const id = randomUUID();
    made[way] = id;
    await transaction(world.pool, 'ledger', async (tx) => {
      const hasEnded = status !== 'active';
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
      if (isOut) await releaseEscrow(tx, { agreementId: id, sellerAgentId: seller, payoutCents }, at);
    });
  }
  return made;
}

const holds = 'the escrow of every agreement holds';
const gave = 'every agreement gave back';
const released = 'the payout of every completed agreement';
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
  ['earnings that are out and said to wait', ofAgreement('due_at = now()'), released, 'escrow released'],
  ['earnings that wait and are said to be out', ofAgreement('due_at = null'), released, 'escrow paid'],
  [
    'an escrow of somebody else than the buyer',
    ofAgreement('buyer_agent_id = seller_agent_id'),
    'credits escrowed equal',
    'escrow open',
  ],
];
