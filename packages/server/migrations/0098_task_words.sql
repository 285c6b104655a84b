-- The index of words has those of each owner and each 2^32 ms (50 days) apart: they begin with the last characters of the
-- owner's id and the first of the task's. A search reads the words of its owner and of its time, not those of everybody.
create function task_lexemes(p_owner uuid, p_task uuid, p_document tsvector) returns tsvector
language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select right(p_owner::text, 6) || left(p_task::text, 4) || word from unnest(tsvector_to_array(p_document)) word))
$$;
drop index task_texts_document;
-- What all texts of an owner had in common until now: a search for "owner" would find it.
update task_texts set document = ts_delete(document, 'owner:' || owner_id);
-- The job alone writes it, many rows at once. What it has written last is searched row by row, so that must stay little.
create index task_texts_words on task_texts using gin (task_lexemes(owner_id, task_id, document))
  with (gin_pending_list_limit = 1024);
