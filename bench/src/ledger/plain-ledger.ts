/**
 * A double-entry ledger as plain SQL that takes one call for each transfer, in the shape of pgledger: accounts with a
 * balance and a version, transfers with the time they happened at, and two entries for each with the balance before and
 * after; ids are text with a prefix, amounts numeric, and the indexes are the same. A call locks its accounts in the order
 * of their ids. In its favour: ids come straight from `uuidv7()`, and one function does nearly all.
 */
export const plainLedger = `
create table accounts (
  id text default 'acc_' || uuidv7() primary key,
  name text not null,
  currency text not null,
  balance numeric not null default 0,
  version bigint not null default 0,
  allow_negative_balance boolean not null,
  allow_positive_balance boolean not null default true,
  metadata jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create table transfers (
  id text default 'tra_' || uuidv7() primary key,
  from_account_id text not null references accounts (id),
  to_account_id text not null references accounts (id),
  amount numeric not null,
  created_at timestamptz not null,
  event_at timestamptz not null,
  metadata jsonb,
  check (amount > 0 and from_account_id <> to_account_id)
);
create index on transfers (from_account_id);
create index on transfers (to_account_id);
create index on transfers (event_at);
create table entries (
  id text default 'ent_' || uuidv7() primary key,
  account_id text not null references accounts (id),
  transfer_id text not null references transfers (id),
  amount numeric not null,
  account_previous_balance numeric not null,
  account_current_balance numeric not null,
  account_version bigint not null,
  created_at timestamptz not null
);
create index on entries (account_id);
create index on entries (transfer_id);

create function check_balance(p_account accounts) returns void language plpgsql as $$
begin
  if not p_account.allow_negative_balance and p_account.balance < 0 then
    raise exception 'account % does not allow a negative balance', p_account.id;
  end if;
  if not p_account.allow_positive_balance and p_account.balance > 0 then
    raise exception 'account % does not allow a positive balance', p_account.id;
  end if;
end $$;

create function create_transfer(p_from text, p_to text, p_amount numeric) returns transfers
language plpgsql as $$
declare
  v_from accounts;
  v_to accounts;
  v_transfer transfers;
begin
  perform id from accounts where id = least(p_from, p_to) for update;
  perform id from accounts where id = greatest(p_from, p_to) for update;
  update accounts set balance = balance - p_amount, version = version + 1, updated_at = now()
    where id = p_from returning * into v_from;
  perform check_balance(v_from);
  update accounts set balance = balance + p_amount, version = version + 1, updated_at = now()
    where id = p_to returning * into v_to;
  perform check_balance(v_to);
  if v_from.currency <> v_to.currency then
    raise exception 'accounts of different currencies';
  end if;
  insert into transfers (from_account_id, to_account_id, amount, created_at, event_at)
    values (p_from, p_to, p_amount, now(), now()) returning * into v_transfer;
  insert into entries (account_id, transfer_id, amount, account_previous_balance, account_current_balance,
      account_version, created_at)
    values (p_from, v_transfer.id, -p_amount, v_from.balance + p_amount, v_from.balance, v_from.version, now());
  insert into entries (account_id, transfer_id, amount, account_previous_balance, account_current_balance,
      account_version, created_at)
    values (p_to, v_transfer.id, p_amount, v_to.balance - p_amount, v_to.balance, v_to.version, now());
  return v_transfer;
end $$;
`;

/** Final check: nothing lost, and as many transfers as callers were told of. */
export const plainProof = `select (select count(*) from transfers)::int as transfers,
  (select count(*) from entries e join accounts a on a.id = e.account_id where e.account_version = a.version
     and e.account_current_balance <> a.balance)::int as wrong_balances,
  (select sum(amount) from entries)::int as sum`;
