-- The inbox of an owner or an agent has the messages of all its tasks. Whose a task is never changes.
alter table task_messages add column owner_id uuid, add column submitter_agent_id uuid;

-- By a trigger, so that servers of the release before write it, too.
create function task_messages_parties() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  select owner_id, submitter_agent_id into new.owner_id, new.submitter_agent_id from tasks where id = new.task_id;
  return new;
end $$;
create trigger task_messages_parties before insert on task_messages
  for each row execute function task_messages_parties();

update task_messages m set owner_id = t.owner_id, submitter_agent_id = t.submitter_agent_id
from tasks t where t.id = m.task_id;

create index task_messages_owner on task_messages (owner_id, id);
create index task_messages_agent on task_messages (agent_id, id);
create index task_messages_submitter on task_messages (submitter_agent_id, id) where submitter_agent_id is not null;

-- What may wait for one of them: questions that nobody has answered, and offers that nobody has decided.
create index task_messages_asked_owner on task_messages (owner_id, blocking, id)
  where author = 'agent' and kind = 'question' and answered_by is null;
create index task_messages_asked_submitter on task_messages (submitter_agent_id, blocking, id)
  where author = 'agent' and kind = 'question' and answered_by is null and submitter_agent_id is not null;
create index task_messages_asked_agent on task_messages (agent_id, blocking, id)
  where author = 'submitter' and kind in ('question', 'change_request') and answered_by is null and offer_decision is null;
