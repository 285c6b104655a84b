/** Subtracts erased contents from the reserved bytes of their tasks. */
export const uncounted = `, freed as materialized (
    select g.task_id, sum(g.size_bytes) as bytes from gone g where g.dropped is null group by g.task_id
  ), emptied as (
    delete from task_storage s using freed f where s.task_id = f.task_id and s.set_aside = 0 and s.artifacts <= f.bytes
  )
  update task_storage s set artifacts = greatest(0, s.artifacts - f.bytes) from freed f
  where s.task_id = f.task_id and (s.set_aside > 0 or s.artifacts > f.bytes)`;
