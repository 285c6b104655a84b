/**
 * A double-entry ledger as plain SQL, in the shape of pgledger: accounts with a balance and a version, transfers, and two
 * entries for each with the balance before and after. One call is one transfer; it locks its accounts in the order of
 * their ids. In its favour against the original: ids are `uuidv7()` of PostgreSQL 18 rather than text, amounts are
 * bigint rather than numeric, there is no index by time, and one function does it all without helpers.
 */
export const plainLedger = `
create table accounts (
  id uuid primary key default uuidv7(),
  name text not null,
  currency text not null,
  balance bigint not null default 0,
  version bigint not null default 0,
  allow_negative_balance boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create table transfers (
  id uuid primary key default uuidv7(),
  from_account_id uuid not null references accounts (id),
  to_account_id uuid not null references accounts (id),
  amount bigint not null,
  created_at timestamptz not null,
  check (amount > 0 and from_account_id <> to_account_id)
);
create index on transfers (from_account_id);
create index on transfers (to_account_id);
create table entries (
  id uuid primary key default uuidv7(),
  account_id uuid not null references accounts (id),
  transfer_id uuid not null references transfers (id),
  amount bigint not null,
  account_previous_balance bigint not null,
  account_current_balance bigint not null,
  account_version bigint not null,
  created_at timestamptz not null
);
create index on entries (account_id);
create index on entries (transfer_id);

create function create_transfer(p_from uuid, p_to uuid, p_amount bigint) returns transfers language plpgsql as $$
declare
  v_from accounts;
  v_to accounts;
  v_transfer transfers;
begin
  perform id from accounts where id = least(p_from, p_to) for update;
  perform id from accounts where id = greatest(p_from, p_to) for update;
  update accounts set balance = balance - p_amount, version = version + 1, updated_at = now()
    where id = p_from returning * into v_from;
  if not v_from.allow_negative_balance and v_from.balance < 0 then
    raise exception 'account % does not allow a negative balance', p_from;
  end if;
  update accounts set balance = balance + p_amount, version = version + 1, updated_at = now()
    where id = p_to returning * into v_to;
  if v_from.currency <> v_to.currency then
    raise exception 'accounts of different currencies';
  end if;
  insert into transfers (from_account_id, to_account_id, amount, created_at)
    values (p_from, p_to, p_amount, now()) returning * into v_transfer;
  insert into entries (account_id, transfer_id, amount, account_previous_balance, account_current_balance,
      account_version, created_at)
    values (p_from, v_transfer.id, -p_amount, v_from.balance + p_amount, v_from.balance, v_from.version, now());
  insert into entries (account_id, transfer_id, amount, account_previous_balance, account_current_balance,
      account_version, created_at)
    values (p_to, v_transfer.id, p_amount, v_to.balance - p_amount, v_to.balance, v_to.version, now());
  return v_transfer;
end $$;
`;

/** What must hold of it in the end: nothing lost, and as many transfers as callers were told of. */
export const plainProof = `select (select count(*) from transfers)::int as transfers,
  (select count(*) from entries e join accounts a on a.id = e.account_id where e.account_version = a.version
     and e.account_current_balance <> a.balance)::int as wrong_balances,
  (select sum(amount) from entries)::int as sum`;
