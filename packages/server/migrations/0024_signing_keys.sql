-- Keys that sign receipts and attestations. One of them signs; the public keys of those before it stay published.
create table signing_keys (
  kid text primary key,
  -- The 32 bytes of an Ed25519 key.
  public_key bytea not null check (octet_length(public_key) = 32),
  -- Encrypted with the secret of the installation, and erased when another key takes its place.
  private_key bytea,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3),
  constraint signing_keys_retired check ((private_key is null) = (retired_at is not null))
);
create unique index signing_keys_active on signing_keys ((true)) where retired_at is null;
