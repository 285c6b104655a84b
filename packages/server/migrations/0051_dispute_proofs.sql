-- What a party of a dispute has the gate run over the delivery and over the untouched input.
create table dispute_proofs (
  id uuid primary key,
  dispute_id uuid not null references disputes,
  task_id uuid not null,
  side text not null check (side in ('buyer', 'seller')),
  -- Whose allowance of CPU time it takes.
  owner_id uuid not null,
  checks json not null,
  files json,
  -- When it is to be run; null once it was.
  due_at timestamptz(3),
  attempts int not null default 0,
  leased_by uuid,
  speaks_for text check (speaks_for in ('buyer', 'seller', 'nobody')),
  why text,
  on_input json,
  on_delivery json,
  created_at timestamptz(3) not null,
  ran_at timestamptz(3),
  constraint dispute_proofs_end check (
    (due_at is null) = (ran_at is not null) and (due_at is null) = (speaks_for is not null)
  )
);
create index dispute_proofs_of on dispute_proofs (dispute_id);
create index dispute_proofs_kept on dispute_proofs (task_id) where files is not null or on_input is not null;
create index dispute_proofs_due on dispute_proofs (due_at) where due_at is not null;

-- When the proofs of one side decide, unless the other side shows one.
alter table disputes add column proof_by timestamptz(3),
  -- Until when the task's input would have been kept without the dispute; null if it was erased before.
  add column input_until timestamptz(3),
  drop constraint disputes_decided_by_check,
  add constraint disputes_decided_by_check
    check (decided_by in ('seller_silent', 'reassessment', 'proof', 'operator', 'operator_silent'));
