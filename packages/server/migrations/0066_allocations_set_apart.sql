-- An escrow that is paid gives nothing of it back as a whole, out of whatever account it came.
create unique index ledger_transfers_escrow_not_also_returned on ledger_transfers (subject)
  where cause in ('escrow_paid', 'escrow_returned_allocated');

-- What allocations left in the wallets is set apart: an agent's allocations less what was reclaimed, moved on and spent, at
-- most what the wallet has and what is left of all allocations of its owner. Withdrawals are taken to have paid out
-- earnings. Each is a transfer like any other.
create temporary table moved on commit drop as
select a.id, a.owner_id, sum(m.cents) as left_over, sum(m.of_pool) as of_pool from (
  select to_holder as id, sum(amount) as cents, sum(amount) filter (where cause <> 'wallet_transfer') as of_pool
  from ledger_transfers where to_kind = 'wallet_available'
    and cause in ('allocation', 'wallet_transfer', 'escrow_returned', 'escrow_split')
  group by to_holder
  union all
  select from_holder, -sum(amount), -sum(amount) filter (where cause <> 'wallet_transfer')
  from ledger_transfers where from_kind = 'wallet_available' and cause in ('reclaim', 'wallet_transfer', 'escrow_held')
  group by from_holder
) m join agents a on a.id = m.id group by a.id, a.owner_id;

create temporary table set_apart on commit drop as
with most as (
  select m.*, w.balance, least(w.balance, greatest(m.left_over, 0)) as cents,
    greatest(sum(coalesce(m.of_pool, 0)) over (partition by m.owner_id), 0) as of_owner
  from moved m join ledger_accounts w on w.holder = m.id and w.kind = 'wallet_available'
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

-- An escrow that is open was paid out of allocations first, as later ones are. How much of it that was: so much is
-- allocated again if it comes back.
create table escrows_set_apart (
  agreement_id uuid primary key,
  cents bigint not null check (cents > 0)
);
insert into escrows_set_apart (agreement_id, cents)
select subject, cents from (
  select e.subject, least(e.amount, m.left_over + sum(e.amount) over (partition by m.id)
    - (sum(e.amount) over (partition by m.id order by e.seq) - e.amount)) as cents
  from ledger_transfers e join moved m on m.id = e.from_holder
  where e.cause = 'escrow_held' and not exists (
    select from ledger_transfers r where r.subject = e.subject
      and r.cause in ('escrow_paid', 'escrow_fee', 'escrow_returned', 'escrow_split')
  )
) open where cents > 0;
