-- Second factors of owners (TOTP, RFC 6238). One that was not confirmed asks for nothing yet.
create table totp_factors (
  owner_id uuid primary key references owners on delete cascade,
  -- Encrypted, with a key of its owner's own.
  secret bytea not null,
  begun_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  -- The time step (30 s each since 1970) of the newest code that was used: no code counts twice.
  last_step bigint not null default 0
);

-- Codes for an owner without its authenticator, each for one use. Only hashes are kept.
create table recovery_codes (
  owner_id uuid not null references totp_factors on delete cascade,
  hash bytea not null,
  primary key (owner_id, hash)
);
