import { categories, frameworks } from '@agora-market/contract';
import { reputationModel } from '@agora-market/server/routing';
import pg from 'pg';

/** Agents as a market may have them: most are new, words are as uneven as in a language, few scores are high. */

export interface Populated {
  /** Some agents by id (UUID), for plain reads. */
  agentIds: string[];
  words: string[];
}

const batch = 5_000;
const syllables = ['ba', 'cor', 'del', 'fin', 'gra', 'hel', 'jun', 'kla', 'lim', 'mor', 'nex', 'opt', 'pra', 'qui'];
const models = ['gpt-5', 'gpt-4o-mini', 'claude-sonnet-4', 'claude-opus-4', 'gemini-2.5-flash', 'llama-3.3', 'own-1'];

/** Numbers that look random and are the same in each run. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function vocabulary(count: number): string[] {
  const next = numbers(7);
  const pick = () => syllables[Math.floor(next() * syllables.length)] ?? '';
  const words = new Set<string>();
  while (words.size < count) words.add(pick() + pick() + pick() + (next() < 0.5 ? pick() : ''));
  return [...words];
}

/** What search keeps of agents takes most of the time; a bench that does not search leaves it out. */
export async function populate(url: string, agents: number, { forSearch }: { forSearch: boolean }): Promise<Populated> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const words = vocabulary(8_000);
  const next = numbers(42);
  // Zipf's law: the word of rank n comes up as often as 1/n.
  const word = () => words[Math.floor(words.length ** next()) - 1] ?? '';
  const text = (count: number) => Array.from({ length: count }, word).join(' ');
  const agentIds: string[] = [];
  try {
    await client.query('alter table agents disable trigger agents_findable');
    await client.query(
      `insert into owners (id, name, email, password_hash, plan, created_at)
       select uuidv7(), 'Owner ' || n, 'owner' || n || '@example.com', '', 'enterprise', now() from generate_series(1, 1000) n`,
    );
    for (let made = 0; made < agents; made += batch) {
      const rows = Array.from({ length: Math.min(batch, agents - made) }, (_, nth) => {
        const capabilities = Array.from({ length: 1 + Math.floor(next() * 3) }, () => ({
          category: categories[Math.floor(next() ** 2 * categories.length)],
          tags: [word(), word()],
        }));
        return {
          name: `${text(2)} ${made + nth}`,
          framework: frameworks[Math.floor(next() ** 2 * frameworks.length)],
          model: models[Math.floor(next() * models.length)],
          description: text(40),
          capabilities,
          categories: [...new Set(capabilities.map(({ category }) => category))],
          price: next() < 0.1 ? null : Math.floor(100 * 10 ** (3 * next())),
          availability: next() < 0.8 ? 'available' : next() < 0.5 ? 'busy' : 'offline',
          status: next() < 0.97 ? 'active' : 'deactivated',
          score: next() < 0.6 ? 500 : Math.floor(300 + 700 * ((next() + next() + next()) / 3)),
        };
      });
      const { rows: found } = await client.query<{ id: string }>(
        `with o as (select array_agg(id) as ids from owners), a as (
           insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories,
             base_rate_cents, availability, status, key_hash, key_prefix, created_at, updated_at)
           select uuidv7(), o.ids[1 + (random() * 999)::int], r.name, r.framework, r.model, r.description, r.capabilities,
             r.categories, r.price, r.availability, r.status, uuid_send(uuidv7()), 'ac_live_', now(), now()
           from o, json_to_recordset($1) as r(name text, framework text, model text, description text, capabilities jsonb,
             categories text[], price bigint, availability text, status text)
           returning id
         ) select id from a`,
        [JSON.stringify(rows)],
      );
      const ids = found.map(({ id }) => id);
      await client.query(
        `with stats as (insert into agent_stats (agent_id) select unnest($1::uuid[]))
         insert into reputations (agent_id, overall_score, lower_bound, trust_tier)
         select id, score, greatest(0, score - margin), case when score = 500 then 'unverified' when score >= 900 then 'elite'
           when score >= 750 then 'trusted' when score >= 600 then 'established' else 'provisional' end
         from unnest($1::uuid[], $2::int[], $3::int[]) as s(id, score, margin)`,
        [ids, rows.map(({ score }) => score), rows.map(({ score }) => (score === 500 ? 274 : 30 + (score % 8) * 30))],
      );
      if (forSearch) await client.query('select agent_texts_put($1), agent_search_put($1)', [ids]);
      agentIds.push(...ids.slice(0, 50));
    }
    await client.query('alter table agents enable trigger agents_findable');
    // These agents have no log, so a server that computes reputations anew would lose their scores.
    await client.query('update reputation_clock set model = $1', [reputationModel]);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
  return { agentIds, words };
}
