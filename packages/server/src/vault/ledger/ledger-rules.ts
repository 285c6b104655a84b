import type { AccountKind, TransferCause } from '@agora/contract';
import { platformHolder } from './transfer.ts';

/** Whose account it is: the owner who pays (and tops up), the agent who earns or is given credits, the one they come from, or the platform. */
type Whose = 'payer' | 'agent' | 'sender' | 'platform';
type Side = readonly [kind: AccountKind, whose: Whose];

/** What transfers are about: the table that has it, and its columns with the owner who pays and the agent who earns. */
const subjects = {
  task: { table: 'tasks', payer: 'owner_id', agent: 'agent_id' },
  top_up: { table: 'top_ups', payer: 'owner_id', agent: null },
  top_up_reversal: { table: 'top_up_reversals', payer: 'owner_id', agent: null },
  withdrawal: { table: 'withdrawals', payer: null, agent: 'agent_id' },
  wallet_move: { table: 'wallet_moves', payer: 'owner_id', agent: 'to_agent_id' },
} as const;

interface LegalMove {
  /** What a transfer of this cause is about: the kind of thing that its subject is. */
  about: keyof typeof subjects;
  from: Side;
  to: Side;
}

const clearing: Side = ['processor_clearing', 'platform'];
const inTransit: Side = ['payouts_in_transit', 'platform'];
const wallet: Side = ['wallet_available', 'agent'];
const sendersWallet: Side = ['wallet_available', 'sender'];

/** All the ways that credits may go. A cause that the contract adds must be added here, or this does not compile. */
const legalMoves: Record<TransferCause, LegalMove> = {
  top_up: { about: 'top_up', from: clearing, to: ['pool_available', 'payer'] },
  hold: { about: 'task', from: ['pool_available', 'payer'], to: ['pool_held', 'payer'] },
  hold_released: { about: 'task', from: ['pool_held', 'payer'], to: ['pool_available', 'payer'] },
  hold_returned: { about: 'task', from: ['pool_held', 'payer'], to: ['pool_available', 'payer'] },
  payout: { about: 'task', from: ['pool_held', 'payer'], to: ['wallet_escrowed', 'agent'] },
  fee: { about: 'task', from: ['pool_held', 'payer'], to: ['platform_fees', 'platform'] },
  payout_refunded: { about: 'task', from: ['wallet_escrowed', 'agent'], to: ['pool_available', 'payer'] },
  fee_refunded: { about: 'task', from: ['platform_fees', 'platform'], to: ['pool_available', 'payer'] },
  earnings_released: { about: 'task', from: ['wallet_escrowed', 'agent'], to: wallet },
  top_up_refunded: { about: 'top_up_reversal', from: ['pool_available', 'payer'], to: clearing },
  top_up_reinstated: { about: 'top_up_reversal', from: clearing, to: ['pool_available', 'payer'] },
  withdrawal: { about: 'withdrawal', from: wallet, to: inTransit },
  withdrawal_paid: { about: 'withdrawal', from: inTransit, to: clearing },
  withdrawal_reversed: { about: 'withdrawal', from: clearing, to: inTransit },
  withdrawal_returned: { about: 'withdrawal', from: inTransit, to: wallet },
  allocation: { about: 'wallet_move', from: ['pool_available', 'payer'], to: wallet },
  reclaim: { about: 'wallet_move', from: sendersWallet, to: ['pool_available', 'payer'] },
  wallet_transfer: { about: 'wallet_move', from: sendersWallet, to: wallet },
  dispute_payout_refunded: { about: 'task', from: ['wallet_escrowed', 'agent'], to: ['pool_available', 'payer'] },
  dispute_fee_refunded: { about: 'task', from: ['platform_fees', 'platform'], to: ['pool_available', 'payer'] },
  dispute_debited: { about: 'task', from: wallet, to: ['pool_available', 'payer'] },
  dispute_covered: { about: 'task', from: ['dispute_reserve', 'platform'], to: ['pool_available', 'payer'] },
};

/** One row for each side of each legal move, as SQL. */
const legalSides = Object.entries(legalMoves)
  .flatMap(([cause, { about, from, to }]) => [
    [cause, 0, about, from[0], from[1], to[0]],
    [cause, 1, about, to[0], to[1], from[0]],
  ])
  .map((side) => `(${side.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', ')})`)
  .join(',\n       ');

/** `case about when … end` over what transfers are about. */
const bySubject = (value: (about: keyof typeof subjects) => string | null) =>
  `case l.about ${(Object.keys(subjects) as (keyof typeof subjects)[])
    .flatMap((about) => (value(about) === null ? [] : [`when '${about}' then ${value(about)}`]))
    .join(' ')} end`;
const columnOf = (whose: 'payer' | 'agent') =>
  bySubject((about) => subjects[about][whose] && `of_${about}.${subjects[about][whose]}`);

/**
 * Entries with what may be said of them. The enums are compared as text, so that a cause or kind of which this program
 * knows nothing is a finding and not an error.
 */
const judged = `with legal (cause, side, about, kind, whose, counterparty) as (values
       ${legalSides}
     ), judged as (
       select e.*, l.about, l.kind as legal_kind, l.counterparty as legal_counterparty,
         ${bySubject((about) => `of_${about}.id`)} as found,
         case l.whose when 'platform' then '${platformHolder}'::uuid
           when 'sender' then of_wallet_move.from_agent_id when 'agent' then ${columnOf('agent')} else ${columnOf('payer')} end as legal_holder
       from ledger_entries e
       left join legal l on l.cause = e.cause::text and l.side = e.side
       ${Object.entries(subjects)
         .map(([about, { table }]) => `left join ${table} of_${about} on of_${about}.id = e.subject`)
         .join('\n       ')}
     )`;

/** Entries about nothing: whoever moves money without a task or a top-up steals or mints it. */
export const entriesAboutNothing = `${judged}
     select subject, cause, side, holder, kind, amount from judged where found is null`;

/** Entries in accounts that their cause does not move money out of (side 0) or into (side 1). */
export const entriesInWrongAccounts = `${judged}
     select subject, cause, side, holder, kind, counterparty, amount, legal_holder, legal_kind from judged
     where legal_kind is null or kind::text <> legal_kind or counterparty::text <> legal_counterparty
       or holder <> legal_holder or amount * (2 * side - 1) <= 0`;
