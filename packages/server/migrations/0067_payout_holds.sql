-- Earnings that are released and cannot be withdrawn yet. What an owner's wallets have beyond these can be. The time is
-- set when earnings are released; rows whose time has come count no more.
create table payout_holds (
  -- The task or agreement that was paid.
  subject uuid primary key,
  owner_id uuid not null,
  agent_id uuid not null,
  amount bigint not null check (amount > 0),
  payable_at timestamptz(3) not null
);
create index payout_holds_of_owner on payout_holds (owner_id, payable_at);

-- When the processor has the money of a charge, where it says so.
alter table top_ups add column available_at timestamptz(3);
create index top_ups_of_owner on top_ups (owner_id, created_at) where status = 'succeeded';

-- It has one more parameter.
drop function if exists vault_release_earnings(timestamptz, int);
