-- A refund that the operator makes is a reversal that is written before the processor is asked: it has taken its amount
-- from the pool, and is open, with a time at which to ask what became of it, until the processor has decided.
alter table top_up_reversals
  alter column processor_ref drop not null,
  -- Whom we asked; null where somebody else made the money go back.
  add column processor text,
  add column reason text,
  add column asked_by text,
  add column failure text,
  add column due_at timestamptz(3),
  add column attempts int not null default 0,
  add constraint top_up_reversals_asked check (
    case when processor is null then processor_ref is not null
      else kind = 'refund' and taken = amount and reason is not null and asked_by is not null end
  ),
  add constraint top_up_reversals_open check (due_at is null or (processor is not null and state = 'standing')),
  -- Only what was refused may never have had a name there.
  add constraint top_up_reversals_named check (processor_ref is not null or due_at is not null or state = 'undone');
create unique index top_up_reversals_one_open on top_up_reversals (top_up_id) where due_at is not null;
create index top_up_reversals_due on top_up_reversals (due_at) where due_at is not null;
