import { defineStep, type Step, type StepOutcome, stale } from './step.ts';

/** Of a list only the word is told, unless it was decided. */
type Told<Outcome extends StepOutcome> = StepOutcome & Partial<Outcome>;

/**
 * A step over lists of another step's items: a list is written whole or not at all, in one transaction. It is refused
 * with the outcome of one of its items. `decide` decides lists as the other step decides items; without it, the SQL of
 * the other step must refuse all items of a list or none, else the list fails. Where some items of a list are stale, the
 * whole batch is decided again.
 */
export function together<Item, Outcome extends StepOutcome>(
  step: Step<Item, Outcome>,
  decide?: Step<Item[], Outcome>['decide'],
): Step<Item[], Told<Outcome>> {
  const name = `${step.name}_together`;
  return defineStep<Item[], Told<Outcome>>({
    name,
    key: (list) => step.key(list[0] as Item),
    locks: (list) => list.flatMap((item) => step.locks(item)),
    topics: (list, outcome) => list.flatMap((item) => step.topics(item, outcome as Outcome)),
    ...(decide && { decide }),
    sql: `create or replace function ${name}(p_items json) returns table (ord int, outcome text) language plpgsql as $$
declare
  v_list record;
begin
  for v_list in
    with item as materialized (
      select l.ordinality as list, row_number() over (order by l.ordinality, i.ordinality) as nth, i.value
      from json_array_elements(p_items) with ordinality l
      cross join lateral json_array_elements(l.value) with ordinality i
    ), done as materialized (
      select d.ord, d.outcome from ${step.name}((select json_agg(i.value order by i.nth) from item i)) d
    )
    select i.list, count(*) as asked, count(*) filter (where d.outcome = 'ok') as taken, max(d.outcome) as said,
      bool_or(d.outcome = '${stale}') as is_stale
    from item i left join done d on d.ord = i.nth group by i.list order by i.list
  loop
    if v_list.taken not in (0, v_list.asked) and v_list.is_stale then
      raise exception 'what a list was decided on has changed' using errcode = 'serialization_failure';
    elsif v_list.taken not in (0, v_list.asked) then
      raise exception 'only % of % items could be written together', v_list.taken, v_list.asked;
    end if;
    ord := v_list.list;
    outcome := v_list.said;
    return next;
  end loop;
end $$`,
  });
}
