-- Keys of those who only read reputation. Only SHA-256 hashes are kept.
create table trust_keys (
  id uuid primary key,
  owner_id uuid not null references owners on delete cascade,
  name text not null,
  key_hash bytea not null constraint trust_keys_hash_key unique,
  key_prefix text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index trust_keys_owner on trust_keys (owner_id, id desc);

-- What the keys of an owner have asked about on the day (UTC), with what servers have set aside for questions to come.
create table trust_usage (
  owner_id uuid primary key references owners on delete cascade,
  day date not null,
  used bigint not null check (used >= 0),
  -- How much the last server to ask was given.
  granted bigint not null
) with (fillfactor = 70);
