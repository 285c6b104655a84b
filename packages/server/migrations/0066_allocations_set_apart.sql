-- An escrow that is paid gives nothing of it back as a whole, out of whatever account it came.
create unique index ledger_transfers_escrow_not_also_returned on ledger_transfers (subject)
  where cause in ('escrow_paid', 'escrow_returned_allocated');

-- What allocations left in the wallets is set apart: an agent's allocations less what was reclaimed, moved on and spent, at
-- most what the wallet has and what is left of all allocations of its owner. Withdrawals are taken to have paid out
-- earnings. Each is a transfer like any other.
create temporary table set_apart on commit drop as
with move as (
  select a.id, a.owner_id, sum(t.amount * d.sign) as left_over,
    sum(t.amount * d.sign) filter (where t.cause <> 'wallet_transfer') as of_pool
  from agents a
  cross join lateral (values (1, 'allocation'), (1, 'wallet_transfer'), (1, 'escrow_returned'), (1, 'escrow_split'),
    (-1, 'reclaim'), (-1, 'wallet_transfer'), (-1, 'escrow_held')) as d(sign, cause)
  join ledger_transfers t on t.cause = d.cause::transfer_cause
    and case d.sign when 1 then t.to_holder = a.id and t.to_kind = 'wallet_available'
      else t.from_holder = a.id and t.from_kind = 'wallet_available' end
  group by a.id, a.owner_id
), most as (
  select m.*, w.balance, least(w.balance, greatest(m.left_over, 0)) as cents,
    greatest(sum(coalesce(m.of_pool, 0)) over (partition by m.owner_id), 0) as of_owner
  from move m join ledger_accounts w on w.holder = m.id and w.kind = 'wallet_available'
)
select id, balance, least(cents, greatest(of_owner - (sum(cents) over owners - cents), 0))::bigint as cents
from most window owners as (partition by owner_id order by id);

insert into ledger_transfers
  (subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, created_at)
select id, 'allocation_set_apart', id, 'wallet_available', balance, id, 'wallet_allocated', 0, cents, now()
from set_apart where cents > 0 order by id;
update ledger_accounts w set balance = w.balance - s.cents from set_apart s
where w.holder = s.id and w.kind = 'wallet_available' and s.cents > 0;
insert into ledger_accounts (holder, kind, balance) select id, 'wallet_allocated', cents from set_apart where cents > 0;
