-- The accounts at GitHub that owners have connected.
create table github_connections (
  owner_id uuid primary key references owners on delete cascade,
  -- Encrypted, with a key of its owner's own.
  token bytea not null,
  login text not null,
  method text not null check (method in ('token', 'oauth')),
  connected_at timestamptz(3) not null
);
