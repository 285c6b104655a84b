import { defineFunction, type Queryable, row, rows, type Tx } from '../../platform/index.ts';
import { standing } from './standing.ts';

/** The statements of search. Each reads a bounded number of rows, whatever it is asked. */

/** What an agent must have. Names of parameters, for the functions below; `s` is its row of `agent_search`. */
const parameters = `p_bits bigint, p_price bigint, p_score int, p_words tsquery, p_part text, p_tag tsquery`;
const fits = `s.listed and s.bits & p_bits = p_bits and s.price <= p_price
    and s.owner_id not in (select id from owners where status = 'suspended')
    and (p_score is null or p_score <= (select x.${standing.score} from ${standing.table} x where x.agent_id = s.agent_id))`;
const says = `(p_tag is null or t.document @@ p_tag)
      and (p_words is null or t.document @@ p_words or t.names like p_part)`;
/** Looked up by key for one agent after the other, and only where there is something to look for. */
const saysIt = `(case when p_words is null and p_tag is null then true else
      (select ${says} from agent_texts t where t.agent_id = s.agent_id) end)`;

/** The planner must take the indexes that the bounds rest on, also while tables are small or its statistics old. */
const byIndex = `set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`;
/** And the same plan each time: making one takes up to a half of a plain search. */
const settings = `${byIndex} set plan_cache_mode = force_generic_plan`;

/**
 * How the words asked for stand in an index, after a prefix: each begins a word, from three letters on; shorter ones are
 * whole words.
 */
defineFunction(
  'search_words',
  `create or replace function search_words(p_text text, p_prefix text default '') returns tsquery language sql immutable as $$
  select string_agg(distinct '''' || p_prefix || left(w, 64) || '''' || case when length(w) >= 3 then ':*' else '' end, ' & ')::tsquery
  from string_to_table(search_spelling(p_text), ' ') w where w <> ''
$$`,
);

/** A text as part of a name; null where it is too short for the index of trigrams. */
defineFunction(
  'search_part',
  `create or replace function search_part(p_text text) returns text language sql immutable as $$
  select case when search_spelling(p_text) ~ '[^ ]{3}' then '%' || search_spelling(p_text) || '%' end
$$`,
);

/** A tag, of a category where one is given. */
defineFunction(
  'search_tag',
  `create or replace function search_tag(p_category text, p_tag text) returns tsquery language sql immutable as $$
  select ('''' || replace(replace(coalesce(p_category, '') || '#' || lower(p_tag), '\\', '\\\\'), '''', '''''') || '''')::tsquery
$$`,
);

/** The next agents in order after a place, of one trust tier or of all; each by the index of its order. */
const inOrder = (where: string) => `select * from agent_search a
    where a.listed ${where} and (a.behind, a.agent_id) > (p_behind, p_id) order by a.behind, a.agent_id`;
const ofTier = 'and a.tier = p_tier';
const eachWay = (statement: (where: string) => string) => `begin
  if p_tier is null then return query ${statement('')};
  else return query ${statement(ofTier)};
  end if;
end`;

/** Agents that fit, in order, among the next `p_visit` after a place; those that moved since are passed over. */
defineFunction(
  'agent_search_walk',
  `create or replace function agent_search_walk(${parameters}, p_tier smallint, p_behind int, p_id uuid,
  p_since timestamptz, p_visit int, p_limit int) returns table (agent_id uuid, behind int, bits bigint)
language plpgsql stable ${settings} set enable_sort = off as $$
${eachWay(
  (where) => `select s.agent_id, s.behind, s.bits from (${inOrder(where)} limit p_visit) s
    where s.moved_at <= p_since and ${fits} and ${saysIt} order by s.behind, s.agent_id limit p_limit`,
)} $$`,
);

/** The place of the last of the next `p_visit` agents; nothing where there are not so many. */
defineFunction(
  'agent_search_frontier',
  `create or replace function agent_search_frontier(p_tier smallint, p_behind int, p_id uuid, p_visit int)
returns table (agent_id uuid, behind int) language plpgsql stable ${settings} set enable_sort = off as $$
${eachWay((where) => `select s.agent_id, s.behind from (${inOrder(where)} offset p_visit - 1 limit 1) s`)} $$`,
);

/** Agents that have moved since, all of them with the place they had; \`many\` where they are more than \`p_most\`. */
defineFunction(
  'agent_search_moved',
  `create or replace function agent_search_moved(${parameters}, p_since timestamptz, p_most int)
returns table (agent_id uuid, behind int, bits bigint, many boolean) language plpgsql stable ${settings} as $$
begin
  if exists (select from agent_search a where a.listed and a.moved_at > p_since order by a.moved_at offset p_most) then
    return query select null::uuid, null::int, null::bigint, true;
    return;
  end if;
  return query select s.agent_id, s.behind_before, s.bits, false from (
    select * from agent_search a where a.listed and a.moved_at > p_since order by a.moved_at limit p_most
  ) s where ${fits} and ${saysIt};
end $$`,
);

/**
 * All agents that fit, found by the indexes of words and terms, with the place each had at \`p_since\`; \`many\` where
 * both find more than \`p_most\`.
 */
defineFunction(
  'agent_search_all',
  `create or replace function agent_search_all(${parameters}, p_terms smallint[], p_since timestamptz, p_most int)
returns table (agent_id uuid, behind int, bits bigint, many boolean) language plpgsql stable ${byIndex}
set plan_cache_mode = force_custom_plan as $$
declare
  v_found uuid[];
  v_say_it boolean;
begin
  if p_words is not null or p_tag is not null then
    v_found := array(
      select t.agent_id from agent_texts t
      where (p_tag is null or t.document @@ p_tag) and (p_words is null or t.document @@ p_words) limit p_most + 1);
    if p_part is not null and cardinality(v_found) <= p_most then
      v_found := array(select unnest(v_found) union (
        select t.agent_id from agent_texts t
        where t.names like p_part and (p_tag is null or t.document @@ p_tag) limit p_most + 1));
    end if;
  end if;
  v_say_it := cardinality(v_found) <= p_most;
  if cardinality(p_terms) > 0 and (v_found is null or cardinality(v_found) > p_most) then
    v_found := array(select a.agent_id from agent_search a where a.listed and a.terms @> p_terms limit p_most + 1);
  end if;
  if v_found is null or cardinality(v_found) > p_most then
    return query select null::uuid, null::int, null::bigint, true;
    return;
  end if;
  return query select s.agent_id, case when s.moved_at > p_since then s.behind_before else s.behind end, s.bits, false
  from unnest(v_found) k cross join lateral (select * from agent_search a where a.agent_id = k limit 1) s
  where ${fits} and (v_say_it or ${saysIt});
end $$`,
);

/** The same of these agents alone. */
defineFunction(
  'agent_search_among',
  `create or replace function agent_search_among(${parameters}, p_agents uuid[], p_since timestamptz)
returns table (agent_id uuid, behind int, bits bigint) language plpgsql stable ${settings} as $$
begin
  return query select s.agent_id, case when s.moved_at > p_since then s.behind_before else s.behind end, s.bits
  from unnest(p_agents) k cross join lateral (select * from agent_search a where a.agent_id = k limit 1) s
  where ${fits} and (p_tag is null or (select t.document @@ p_tag from agent_texts t where t.agent_id = s.agent_id));
end $$`,
);

export interface Wanted {
  bits: bigint;
  /** The same as numbers, for the index. */
  terms: number[];
  /** The number of the trust tier among them. */
  tier: number | null;
  maxPriceCents: number;
  minScore: number | null;
  q: string | null;
  tag: string | null;
  category: string | null;
}

/** A place in the order: points behind the best possible score, and the agent there. */
export interface Place {
  behind: number;
  agentId: string;
}

/** An agent that fits. `bits`: what it is, by number (`terms.ts`). */
export interface Hit extends Place {
  bits: bigint;
}

const valuesOf = ({ bits, maxPriceCents, minScore, q, tag, category }: Wanted): unknown[] => [
  bits.toString(),
  maxPriceCents,
  minScore,
  q,
  tag,
  category,
];
const given = `$1::bigint, $2::bigint, $3::int, search_words($4::text), search_part($4::text),
  case when $5::text is not null then search_tag($6::text, $5::text) end`;
const columns = `agent_id as "agentId", behind, bits::text`;

type Row = Place & { bits: string; many?: boolean };
const hits = (found: Row[]): Hit[] =>
  found.map(({ agentId, behind, bits }) => ({ agentId, behind, bits: BigInt(bits) }));
const hitsUnlessMany = (found: Row[]): Hit[] | null => (found[0]?.many ? null : hits(found));

interface Alike {
  likeness: number;
  read: number;
  most: number;
}

/** How far to look: so many agents after a place, in the order of a moment, for so many that fit. */
interface Reach {
  after: Place;
  since: Date;
  visit: number;
  limit: number;
}

const walking = `from agent_search_walk(${given}, $7, $8, $9, $10, $11, $12)`;
const walkValues = (wanted: Wanted, { after, since, visit, limit }: Reach) => [
  ...valuesOf(wanted),
  wanted.tier,
  after.behind,
  after.agentId,
  since.toISOString(),
  visit,
  limit,
];

export const walk = async (db: Queryable, wanted: Wanted, reach: Reach): Promise<Hit[]> =>
  hits(await rows<Row>(db, 'registry_search_walk', `select ${columns} ${walking}`, walkValues(wanted, reach)));

/** How many of the agents that `walk` finds have each set of bits. */
export const tally = (db: Queryable, wanted: Wanted, reach: Reach) =>
  rows<{ bits: string; count: number }>(
    db,
    'registry_search_tally',
    `select bits::text, count(*) ${walking} group by bits`,
    walkValues(wanted, reach),
  );

/** The last agent that `walk` looks at; null where there are not so many. */
export const frontier = (db: Queryable, { tier }: Wanted, after: Place, visit: number): Promise<Place | null> =>
  row<Place>(
    db,
    'registry_search_frontier',
    `select agent_id as "agentId", behind from agent_search_frontier($1, $2, $3, $4)`,
    [tier, after.behind, after.agentId, visit],
  );

/** Null where they are more than `most`. */
export const moved = async (db: Queryable, wanted: Wanted, since: Date, most: number): Promise<Hit[] | null> =>
  hitsUnlessMany(
    await rows<Row>(db, 'registry_search_moved', `select ${columns}, many from agent_search_moved(${given}, $7, $8)`, [
      ...valuesOf(wanted),
      since.toISOString(),
      most,
    ]),
  );

/** Null where they may be more than `most`. */
export const findAll = async (db: Queryable, wanted: Wanted, since: Date, most: number): Promise<Hit[] | null> =>
  hitsUnlessMany(
    await rows<Row>(db, 'registry_search_all', `select ${columns}, many from agent_search_all(${given}, $7, $8, $9)`, [
      ...valuesOf(wanted),
      wanted.terms,
      since.toISOString(),
      most,
    ]),
  );

export const among = async (db: Queryable, wanted: Wanted, agents: string[], since: Date): Promise<Hit[]> =>
  hits(
    await rows<Row>(db, 'registry_search_among', `select ${columns} from agent_search_among(${given}, $7, $8)`, [
      ...valuesOf(wanted),
      agents,
      since.toISOString(),
    ]),
  );

/**
 * Agents whose names are like a text by at least so much (0–1), the most alike first. Comparing names is what costs, so no
 * more than `read` are compared.
 */
export async function alike(tx: Tx, q: string, { likeness, read, most }: Alike): Promise<string[]> {
  await tx.query(`set local pg_trgm.word_similarity_threshold = ${likeness}`);
  const found = await rows<{ id: string }>(
    tx,
    'registry_search_alike',
    `select id from (
       select agent_id as id, names from agent_texts where search_spelling($1) <% names limit $2
     ) x order by word_similarity(search_spelling($1), names) desc, id limit $3`,
    [q, read, most],
  );
  return found.map(({ id }) => id);
}
