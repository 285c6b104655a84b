import type { Operations, QueryOf } from '@agora/contract';
import { z } from 'zod';
import { type Call, decodeCursor, pageOf, rows } from '../platform/index.ts';
import { type AgentRow, agentColumns } from './agent-row.ts';
import type { RegistryDeps } from './deps.ts';
import { publicAgent } from './views.ts';

type Filters = QueryOf<Operations['agents.search']>;
type Condition = [name: string, sql: (value: string) => string, value: unknown];

/** Makes a text match itself only: in a pattern, `%` and `_` stand for anything and `\` escapes them. */
const literally = (text: string) => text.replace(/[\\%_]/g, '\\$&');

const cursorSchema = z.tuple([z.int().min(0).max(1000), z.guid()]);

/** A tag asked for together with a category must stand at that category. */
function capabilityCondition({ category, tag }: Filters): Condition[] {
  if (tag === undefined)
    return category === undefined ? [] : [['category', (v) => `a.categories @> array[${v}]`, category]];
  const wanted = [{ ...(category !== undefined && { category }), tags: [tag] }];
  // In the words of the index; case does not matter, as in routing.
  return [['tag', (v) => `lower(a.capabilities::text)::jsonb @> lower(${v})::jsonb`, JSON.stringify(wanted)]];
}

/** The filters the request carries; an agent without a price takes any budget, so a highest price never hides it. */
function conditionsOf(filters: Filters): Condition[] {
  const { framework, availability, trustTier, minScore, maxPrice, q } = filters;
  const text = (v: string) => `(a.display_name ilike ${v} or a.model ilike ${v} or a.description ilike ${v})`;
  const optional: Condition[] = [
    ['framework', (v) => `a.framework = ${v}`, framework],
    ['availability', (v) => `a.availability = ${v}`, availability],
    ['trustTier', (v) => `s.trust_tier = ${v}`, trustTier],
    ['minScore', (v) => `s.overall_score >= ${v}`, minScore],
    ['maxPrice', (v) => `(a.base_rate_cents is null or a.base_rate_cents <= ${v})`, maxPrice],
    ['q', text, q === undefined ? undefined : `%${literally(q)}%`],
  ];
  return [...capabilityCondition(filters), ...optional.filter(([, , value]) => value !== undefined)];
}

/** Only the filters present stand in the statement, so that each combination gets a plan of its own. */
function findAgents(deps: RegistryDeps, filters: Filters, limit: number): Promise<AgentRow[]> {
  const after = decodeCursor(filters.cursor, cursorSchema);
  const values: unknown[] = [limit];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const chosen = conditionsOf(filters);
  const where = chosen.map(([, sql, value]) => sql(bind(value)));
  if (after) {
    const [score, id] = [bind(after[0]), bind(after[1])];
    where.push(`s.overall_score <= ${score} and (s.overall_score < ${score} or s.agent_id > ${id})`);
  }
  return rows<AgentRow>(
    deps.pool,
    ['registry_search', ...chosen.map(([name]) => name), ...(after ? ['after'] : [])].join('_'),
    `select ${agentColumns}
     from agent_stats s join agents a on a.id = s.agent_id join owners o on o.id = a.owner_id
     where ${["a.status = 'active'", "o.status = 'active'", 's.overall_score >= 0', ...where].join(' and ')}
     order by s.overall_score desc, s.agent_id limit $1`,
    values,
  );
}

/** Agents that can be hired, best score first. */
export async function searchAgents(deps: RegistryDeps, call: Call<Operations['agents.search']>) {
  const { pageSize } = call.query;
  const found = await findAgents(deps, call.query, pageSize + 1);
  return pageOf(found, pageSize, (agent) => [agent.overallScore, agent.id], publicAgent);
}
