-- Verifications of an agent's model within an hour, which all servers count together.
create table model_tries (
  agent_id uuid primary key references agents on delete cascade,
  since timestamptz(3) not null,
  count int not null
);
