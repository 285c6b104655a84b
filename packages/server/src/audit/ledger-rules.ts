import type { AccountKind, TransferCause } from '@agora-market/contract';
import { sqlList } from '../platform/index.ts';
import { platformHolder } from '../vault/index.ts';

/**
 * Whose account it is: the owner who pays (and tops up), the agent who earns or receives credits, the agent they come
 * from, or the platform.
 */
type Whose = 'payer' | 'agent' | 'sender' | 'platform';
type Side = readonly [kind: AccountKind, whose: Whose];

/** Subjects of transfers: their table, and its columns with the owner who pays and the agent who earns. */
const subjects = {
  task: { table: 'tasks', payer: 'owner_id', agent: 'agent_id' },
  top_up: { table: 'top_ups', payer: 'owner_id', agent: null },
  top_up_reversal: { table: 'top_up_reversals', payer: 'owner_id', agent: null },
  reversal_collection: {
    table: '(select c.id, r.owner_id from reversal_collections c join top_up_reversals r on r.id = c.reversal_id)',
    payer: 'owner_id',
    agent: null,
  },
  withdrawal: { table: 'withdrawals', payer: null, agent: 'agent_id' },
  wallet: { table: 'agents', payer: null, agent: 'id' },
  wallet_move: { table: 'wallet_moves', payer: 'owner_id', agent: 'to_agent_id' },
  // Here an agent pays, out of its wallet.
  agreement: { table: 'agreements', payer: 'buyer_agent_id', agent: 'seller_agent_id' },
} as const;

interface LegalMove {
  /** The kind of subject of a transfer with this cause. */
  about: keyof typeof subjects;
  from: Side;
  to: Side;
  /** Where it went before wallets kept allocated credits apart. */
  formerTo?: AccountKind;
}

const clearing: Side = ['processor_clearing', 'platform'];
const inTransit: Side = ['payouts_in_transit', 'platform'];
const wallet: Side = ['wallet_available', 'agent'];
const allocated: Side = ['wallet_allocated', 'agent'];
const buyersEscrow: Side = ['wallet_escrowed', 'payer'];
const sendersWallet: Side = ['wallet_available', 'sender'];
const sendersAllocated: Side = ['wallet_allocated', 'sender'];

/** All the ways that credits may go. A cause that the contract adds must be added here, or this does not compile. */
const legalMoves: Record<TransferCause, LegalMove> = {
  top_up: { about: 'top_up', from: clearing, to: ['pool_available', 'payer'] },
  hold: { about: 'task', from: ['pool_available', 'payer'], to: ['pool_held', 'payer'] },
  hold_released: { about: 'task', from: ['pool_held', 'payer'], to: ['pool_available', 'payer'] },
  hold_returned: { about: 'task', from: ['pool_held', 'payer'], to: ['pool_available', 'payer'] },
  payout: { about: 'task', from: ['pool_held', 'payer'], to: ['wallet_escrowed', 'agent'] },
  fee: { about: 'task', from: ['pool_held', 'payer'], to: ['platform_fees', 'platform'] },
  accepted_payout: { about: 'task', from: ['pool_available', 'payer'], to: ['wallet_escrowed', 'agent'] },
  accepted_fee: { about: 'task', from: ['pool_available', 'payer'], to: ['platform_fees', 'platform'] },
  payout_refunded: { about: 'task', from: ['wallet_escrowed', 'agent'], to: ['pool_available', 'payer'] },
  fee_refunded: { about: 'task', from: ['platform_fees', 'platform'], to: ['pool_available', 'payer'] },
  earnings_released: { about: 'task', from: ['wallet_escrowed', 'agent'], to: wallet },
  top_up_refunded: { about: 'top_up_reversal', from: ['pool_available', 'payer'], to: clearing },
  top_up_reinstated: { about: 'top_up_reversal', from: clearing, to: ['pool_available', 'payer'] },
  reversal_collected: { about: 'reversal_collection', from: ['pool_available', 'payer'], to: clearing },
  withdrawal: { about: 'withdrawal', from: wallet, to: inTransit },
  withdrawal_paid: { about: 'withdrawal', from: inTransit, to: clearing },
  withdrawal_reversed: { about: 'withdrawal', from: clearing, to: inTransit },
  withdrawal_returned: { about: 'withdrawal', from: inTransit, to: wallet },
  allocation: {
    about: 'wallet_move',
    from: ['pool_available', 'payer'],
    to: allocated,
    formerTo: 'wallet_available',
  },
  allocation_set_apart: { about: 'wallet', from: wallet, to: allocated },
  reclaim_allocated: { about: 'wallet_move', from: sendersAllocated, to: ['pool_available', 'payer'] },
  wallet_transfer_allocated: { about: 'wallet_move', from: sendersAllocated, to: allocated },
  reclaim: { about: 'wallet_move', from: sendersWallet, to: ['pool_available', 'payer'] },
  wallet_transfer: { about: 'wallet_move', from: sendersWallet, to: wallet },
  dispute_payout_refunded: { about: 'task', from: ['wallet_escrowed', 'agent'], to: ['pool_available', 'payer'] },
  dispute_fee_refunded: { about: 'task', from: ['platform_fees', 'platform'], to: ['pool_available', 'payer'] },
  dispute_debited: { about: 'task', from: wallet, to: ['pool_available', 'payer'] },
  dispute_covered: { about: 'task', from: ['dispute_reserve', 'platform'], to: ['pool_available', 'payer'] },
  escrow_held_allocated: { about: 'agreement', from: ['wallet_allocated', 'payer'], to: buyersEscrow },
  escrow_returned_allocated: { about: 'agreement', from: buyersEscrow, to: ['wallet_allocated', 'payer'] },
  escrow_split_allocated: { about: 'agreement', from: buyersEscrow, to: ['wallet_allocated', 'payer'] },
  escrow_held: { about: 'agreement', from: ['wallet_available', 'payer'], to: buyersEscrow },
  escrow_paid: { about: 'agreement', from: buyersEscrow, to: ['wallet_escrowed', 'agent'] },
  escrow_fee: { about: 'agreement', from: buyersEscrow, to: ['platform_fees', 'platform'] },
  escrow_returned: { about: 'agreement', from: buyersEscrow, to: ['wallet_available', 'payer'] },
  escrow_split: { about: 'agreement', from: buyersEscrow, to: ['wallet_available', 'payer'] },
  escrow_released: { about: 'agreement', from: ['wallet_escrowed', 'agent'], to: wallet },
};

/** The causes with their kinds of subject, as SQL. */
const legal = Object.entries(legalMoves)
  .map(([cause, { about, from, to, formerTo = to[0] }]) => sqlList([cause, about, ...from, ...to, formerTo]))
  .join(',\n       ');

/**
 * Compares the causes and kinds of the database with those of this program. These 20 rows are compared as text, so that
 * a cause or kind unknown to this program is a finding and not an error. The transfers themselves are compared as
 * enums.
 */
const rules = `with rule as materialized (
       select c.cause, r.about, f.kind as from_kind, r.from_whose, t.kind as to_kind, r.to_whose,
         o.kind as former_to_kind
       from unnest(enum_range(null::transfer_cause)) as c(cause)
       left join (values
       ${legal}
       ) as r(cause, about, from_kind, from_whose, to_kind, to_whose, former_to) on r.cause = c.cause::text
       left join unnest(enum_range(null::account_kind)) as f(kind) on f.kind::text = r.from_kind
       left join unnest(enum_range(null::account_kind)) as t(kind) on t.kind::text = r.to_kind
       left join unnest(enum_range(null::account_kind)) as o(kind) on o.kind::text = r.former_to
     )`;

const abouts = Object.keys(subjects) as (keyof typeof subjects)[];
const movesAbout = (about: keyof typeof subjects) => `ledger_transfers l join rule r on r.cause = l.cause
       and r.about = '${about}' left join ${subjects[about].table} s on s.id = l.subject`;

/**
 * Transfers without a subject: money that moves without a task or a top-up is stolen or invented. Each kind of subject
 * is joined only with its own transfers; one join of all kinds takes five times as long on a million transfers.
 */
export const entriesAboutNothing = `${rules}
     select * from (
       ${abouts.map((about) => `select l.subject, l.cause, l.amount from ${movesAbout(about)} where s.id is null`).join('\n       union all ')}
       union all select l.subject, l.cause, l.amount from ledger_transfers l join rule r on r.cause = l.cause
       where r.about is null
     ) broken`;

/** Whose the account has to be, as SQL. */
function holderOf(about: keyof typeof subjects, whose: string): string {
  const { payer, agent } = subjects[about];
  const sender = about === 'wallet_move' ? `when 'sender' then s.from_agent_id` : '';
  return `case ${whose} when 'platform' then '${platformHolder}'::uuid ${sender}
         ${agent === null ? '' : `when 'agent' then s.${agent}`} ${payer === null ? '' : `when 'payer' then s.${payer}`} end`;
}

/** Transfers out of or into accounts that their cause does not move money out of or into. */
export const entriesInWrongAccounts = `${rules}
     select * from (
       ${abouts
         .map(
           (about) => `select l.subject, l.cause, l.from_holder, l.from_kind, l.to_holder, l.to_kind, l.amount
       from ${movesAbout(about)}
       where l.from_kind is distinct from r.from_kind or l.amount <= 0
         or (l.to_kind is distinct from r.to_kind and l.to_kind is distinct from r.former_to_kind)
         or l.from_holder <> ${holderOf(about, 'r.from_whose')}
         or l.to_holder <> ${holderOf(about, 'r.to_whose')}`,
         )
         .join('\n       union all ')}
       union all select l.subject, l.cause, l.from_holder, l.from_kind, l.to_holder, l.to_kind, l.amount
       from ledger_transfers l join rule r on r.cause = l.cause where r.about is null
     ) broken`;
