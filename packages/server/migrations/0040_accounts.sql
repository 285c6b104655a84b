alter table owners add column email_verified_at timestamptz(3);

alter table sessions add column id uuid not null default gen_random_uuid();
alter table sessions alter column id drop default;
alter table sessions add column user_agent text;

-- Tokens that owners get by mail, each for one use. Only hashes are kept.
create table mailed_tokens (
  hash bytea primary key,
  owner_id uuid not null references owners on delete cascade,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index mailed_tokens_owner on mailed_tokens (owner_id, purpose, created_at);
create index mailed_tokens_expiry on mailed_tokens (expires_at);
