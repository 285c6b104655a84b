create table owners (
  id uuid primary key,
  name text not null,
  email text not null,
  password_hash text not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  plan text not null default 'free' check (plan in ('free', 'pro', 'enterprise')),
  created_at timestamptz(3) not null,
  constraint owners_email_key unique (email)
);

-- Only SHA-256 hashes of tokens are kept.
create table sessions (
  token_hash bytea primary key,
  owner_id uuid not null references owners on delete cascade,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
) with (fillfactor = 80);
create index sessions_owner on sessions (owner_id);
create index sessions_expiry on sessions (expires_at);

create table developer_tokens (
  id uuid primary key,
  owner_id uuid not null references owners on delete cascade,
  name text not null,
  token_hash bytea not null constraint developer_tokens_hash_key unique,
  token_prefix text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index developer_tokens_owner on developer_tokens (owner_id, id);
