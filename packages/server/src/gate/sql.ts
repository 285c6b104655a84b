import { type Queryable, rows } from '../platform/index.ts';
import { quoting } from './evidence/excerpt.ts';

/**
 * Removes the output of commands from the assessments of tasks, because it may repeat the input. The gate's own words
 * stay.
 */
export const eraseQuotes = (db: Queryable, taskIds: string[]) =>
  rows(
    db,
    'gate_erase_quotes',
    `update assessments a set criteria = (
       select json_agg(case when strpos(c.value ->> 'evidence', $2) = 0 then c.value - 'tests' else jsonb_set(c.value - 'tests', '{evidence}',
         to_jsonb(split_part(c.value ->> 'evidence', $2, 1) || ' Its output was erased with the input.')) end order by c.ordinality)
       from jsonb_array_elements(a.criteria::jsonb) with ordinality c)
     where a.task_id = any($1::uuid[]) and strpos(a.criteria::text, $3) > 0`,
    [taskIds, quoting, JSON.stringify(quoting).slice(1, -1)],
  );
