-- Private package registries, with the tokens of their owners.
create table package_registries (
  owner_id uuid not null references owners,
  kind text not null,
  url text not null,
  username text,
  -- Encrypted.
  token bytea not null,
  -- Names, or beginnings of names with a *, that come from here where a lockfile does not say.
  packages text[] not null,
  updated_at timestamptz not null,
  primary key (owner_id, kind, url)
);
