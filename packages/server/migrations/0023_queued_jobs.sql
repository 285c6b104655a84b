-- Work that a change has asked for and that is done after its commit, by any server. A row ends with its work.
create table queued_jobs (
  id uuid primary key,
  kind text not null,
  -- What the work is about. Asked for twice, it is one job.
  key text not null,
  payload json not null,
  -- Runs that were begun. Whoever runs it knows it by this number from those who ran it before.
  attempts int not null default 0,
  -- When it may be run; while it runs, when its server is taken for dead. Null: it is given up.
  due_at timestamptz(3),
  error text,
  created_at timestamptz(3) not null,
  constraint queued_jobs_key unique (kind, key)
) with (fillfactor = 70);
create index queued_jobs_due on queued_jobs (kind, due_at);

-- Cards that are removed here and not yet at the processor.
insert into queued_jobs (id, kind, key, payload, due_at, created_at)
select gen_random_uuid(), 'vault.detachMethod', owner_id || ' ' || payment_method_id,
  json_build_object('ownerId', owner_id, 'paymentMethodId', payment_method_id, 'processor', processor,
    'customerRef', customer_ref), due_at, due_at
from method_detachments;
drop table method_detachments;
