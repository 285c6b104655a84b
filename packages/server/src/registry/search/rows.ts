import { createHash } from 'node:crypto';
import { modelTierTable } from '@agora-market/contract';
import { defineFunction, type Queryable, row } from '../../platform/index.ts';
import { standing } from './standing.ts';
import { numberSql, terms } from './terms.ts';

/** The rows that search reads: what stands in them, and who writes them when. */

const patterns = (names: readonly string[]) => names.map((name) => `'${name.replaceAll('*', '%')}'`).join(', ');

/** The tier of a model by its name (`modelTierTable`); null for a name that it does not have. */
defineFunction(
  'agent_model_tier',
  `create or replace function agent_model_tier(p_model text) returns text language sql immutable as $$
  select case ${modelTierTable
    .map(([tier, names]) => `when m.name like any (array[${patterns(names)}]) then '${tier}'`)
    .join(' ')} end
  from (select regexp_replace(lower(p_model), '^.*/', '') as name) m
$$`,
);

/** A text as search sees it: letters and digits in lower case, a blank for everything in between. */
defineFunction(
  'search_spelling',
  `create or replace function search_spelling(p_text text) returns text language sql immutable as $$
  select btrim(regexp_replace(lower(
    -- Plain letters are what they are; finding that out takes a fiftieth of the time.
    case when octet_length(p_text) = length(p_text) then p_text else normalize(p_text, NFKC) end
  ), '[^[:alnum:]]+', ' ', 'g'))
$$`,
);

/**
 * The words of a profile and its tags, as lexemes. A tag stands in it as \`#tag\` and, with its category, as
 * \`category#tag\`, which no word can be. A word of 64 characters is as good as a longer one.
 */
defineFunction(
  'agent_texts_put',
  `create or replace function agent_texts_put(p_agents uuid[]) returns void language sql as $$
  insert into agent_texts (agent_id, document, names)
  select a.id, array_to_tsvector(array(
      select left(word, 64) from string_to_table(search_spelling(concat_ws(' ', a.display_name, a.model, a.description,
        (select string_agg(t.tag, ' ') from jsonb_array_elements(a.capabilities) c
         cross join jsonb_array_elements_text(c -> 'tags') as t(tag)))), ' ') as word where word <> ''
      union
      select unnest(array['#' || lower(t.tag), (c ->> 'category') || '#' || lower(t.tag)])
      from jsonb_array_elements(a.capabilities) c cross join jsonb_array_elements_text(c -> 'tags') as t(tag)
    )), search_spelling(a.display_name || ' ' || a.model)
  from agents a where a.id = any(p_agents)
  on conflict (agent_id) do update set document = excluded.document, names = excluded.names
$$`,
);

const termsSql = `array_remove(array[${[
  numberSql('framework', 'a.framework'),
  numberSql('availability', 'a.availability'),
  numberSql('trustTier', 'st.tier'),
  numberSql('modelTier', 'agent_model_tier(a.model)'),
  numberSql('verified', `(a.model_status = 'verified')::text`),
].join(', ')}] || array(select ${numberSql('category', 'c')} from unnest(a.categories) c), null)::smallint[]`;

/** Another one wherever the terms or tiers are others, so that rows that were made with them are found. */
const version = createHash('sha256')
  .update(JSON.stringify([terms, modelTierTable]))
  .digest()
  .readInt32BE();

const standingOf = (agent: string) => `(
    select coalesce(${standing.rank}, ${standing.ofNew.rank}) as rank,
      coalesce(x.${standing.tier}, '${standing.ofNew.tier}') as tier
    from (select) one left join ${standing.table} x on x.agent_id = ${agent}
  )`;

/** What stands in the rows of these agents. */
defineFunction(
  'agent_search_rows',
  `create or replace function agent_search_rows(p_agents uuid[]) returns table (
  agent_id uuid, owner_id uuid, listed boolean, bits bigint, terms smallint[], tier smallint, price bigint,
  behind int, version int
) language sql stable as $$
  select a.id, a.owner_id, a.status = 'active', b.bits, t.terms, (${numberSql('trustTier', 'st.tier')})::smallint,
    coalesce(a.base_rate_cents, 0), ${standing.best} - st.rank, ${version}
  from unnest(p_agents) k
  cross join lateral (select * from agents where id = k limit 1) a
  cross join lateral ${standingOf('k')} st
  cross join lateral (select ${termsSql} as terms) t
  cross join lateral (select bit_or(1::bigint << term) as bits from unnest(t.terms) term) b
$$`,
);

/** Brings everything up to date but the place in the order, which only the job moves; a new row gets its first place. */
defineFunction(
  'agent_search_put',
  `create or replace function agent_search_put(p_agents uuid[]) returns void language sql as $$
  insert into agent_search (agent_id, owner_id, listed, bits, terms, tier, price, behind, behind_before, moved_at,
    version)
  select r.agent_id, r.owner_id, r.listed, r.bits, r.terms, r.tier, r.price, r.behind, r.behind, '-infinity',
    r.version
  from agent_search_rows(p_agents) r
  on conflict (agent_id) do update set listed = excluded.listed, bits = excluded.bits, terms = excluded.terms,
    tier = excluded.tier, price = excluded.price, version = excluded.version
  where (agent_search.listed, agent_search.bits, agent_search.price, agent_search.version)
    is distinct from (excluded.listed, excluded.bits, excluded.price, excluded.version)
$$`,
);

/**
 * Goes through the next agents by id. Makes rows that are missing or of another version, brings trust tiers up to date,
 * and moves agents whose score has changed to their new place, but not one that moved within \`p_hold\`. Gives the last
 * agent it looked at; null after the last one. Rows that somebody else writes are left for the next time.
 */
defineFunction(
  'agent_search_advance',
  `create or replace function agent_search_advance(p_after uuid, p_limit int, p_now timestamptz, p_hold interval)
returns uuid language plpgsql as $$
declare
  v_agents uuid[] := array(select id from agents where id > p_after order by id limit p_limit);
  v_stale uuid[];
begin
  with seen as (
    select k as agent, s.behind, s.version, s.moved_at <= p_now - p_hold and s.behind <> ${standing.best} - st.rank as moves,
      ${standing.best} - st.rank as place, s.tier <> ${numberSql('trustTier', 'st.tier')} as has_other_tier
    from unnest(v_agents) k
    cross join lateral (select * from agent_search where agent_id = k limit 1) s
    cross join lateral ${standingOf('k')} st
  ), due as materialized (
    select d.* from seen d
    cross join lateral (select from agent_search x where x.agent_id = d.agent for update skip locked) s
    where d.moves or d.has_other_tier or d.version <> ${version}
  ), moved as (
    update agent_search s set behind_before = s.behind, behind = d.place, moved_at = p_now
    from due d
    -- Asked again, for another server may have moved it since.
    where s.agent_id = d.agent and d.moves and s.moved_at <= p_now - p_hold and s.behind <> d.place
  )
  select coalesce(array_agg(agent) filter (where has_other_tier or version <> ${version}), '{}') into v_stale from due;
  perform agent_search_put(v_stale);
  perform agent_search_put(array(
    select k from unnest(v_agents) k where not exists (select from agent_search where agent_id = k)));
  perform agent_texts_put(array(
    select k from unnest(v_agents) k where not exists (select from agent_texts where agent_id = k)));
  return v_agents[p_limit];
end $$`,
);

interface Advance {
  after: string;
  limit: number;
  now: Date;
  holdMs: number;
}

/** See `agent_search_advance`. */
export async function advanceRows(db: Queryable, { after, limit, now, holdMs }: Advance): Promise<string | null> {
  const done = await row<{ last: string | null }>(
    db,
    'registry_search_advance',
    `select agent_search_advance($1, $2, $3, make_interval(secs => $4)) as last`,
    [after, limit, now.toISOString(), holdMs / 1000],
  );
  return done?.last ?? null;
}
