-- Replies of requests that carried an Idempotency-Key, sealed with a key that only the caller has.
create table idempotency_keys (
  id bytea primary key,
  request_hash bytea not null,
  created_at timestamptz(3) not null,
  subject uuid,
  reply bytea
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- The event log: audit trail, event streams and, later, webhooks read it. Rows are never changed.
create table events (
  seq bigint generated always as identity primary key,
  id uuid not null default gen_random_uuid(),
  type text not null,
  district text not null,
  at timestamptz(3) not null,
  task_id uuid,
  agent_id uuid,
  owner_id uuid,
  correlation_id text not null,
  data json not null
);
create index events_task on events (task_id, seq) where task_id is not null;

-- A UUIDv7 at a given time, so that ids made in SQL follow the injected clock as well.
create function uuid_at(p_at timestamptz) returns uuid language sql volatile as $$
  select encode(
    overlay(
      overlay(uuid_send(gen_random_uuid()) placing substring(int8send((extract(epoch from p_at) * 1000)::bigint) from 3) from 1 for 6)
      placing set_byte('\x00'::bytea, 0, 112 | (get_byte(uuid_send(gen_random_uuid()), 0) & 15)) from 7 for 1
    ), 'hex')::uuid
$$;
alter table events alter column id drop default;
