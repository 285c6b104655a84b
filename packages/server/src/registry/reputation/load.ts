import type { Category, TrustTier } from '@agora-market/contract';
import { type Queryable, rows } from '../../platform/index.ts';
import { portionsOf } from './breath.ts';
import type { Deals, Flow } from './buyer.ts';
import type { Entry } from './entries.ts';
import type { Tally } from './evidence.ts';
import { emptyState, principalOf, type State, voiceKey } from './fold.ts';
import { pricesOf } from './prices.ts';
import { type AgentRecord, emptyRecord } from './record.ts';
import type { Tastes } from './tastes.ts';
import { type StoredVoice, unpackVoice } from './voice-row.ts';

/** What entries are about, each once. */
function subjectsOf(entries: readonly Entry[]) {
  const agents = new Set<string>();
  const buyers = new Set<string>();
  const pairs = new Map<string, [agentId: string, buyerId: string]>();
  for (const entry of entries) {
    agents.add(entry.agentId);
    // Older events about appeals name no buyer.
    if (!('buyerId' in entry) || entry.buyerId === '') continue;
    buyers.add(entry.buyerId);
    if (entry.kind !== 'paid' && entry.kind !== 'bought')
      pairs.set(voiceKey(entry.agentId, entry.buyerId), [entry.agentId, entry.buyerId]);
  }
  return { agents, buyers, pairs: [...pairs.values()] };
}

interface AgentFound {
  id: string;
  ownerId: string;
  record: AgentRecord | null;
  tier: TrustTier;
}

/** All that entries need. */
export async function loadState(
  db: Queryable,
  entries: readonly Entry[],
  closedUntil: number,
  { byPrincipal = true } = {},
): Promise<State> {
  const state = emptyState(closedUntil);
  const { agents, buyers, pairs } = subjectsOf(entries);
  const owners = new Set(buyers);
  for (const some of portionsOf(agents)) {
    for (const { id, ownerId, record, tier } of await loadAgents(db, some)) {
      state.agents.set(id, { ownerId, record: record ?? emptyRecord(), tier });
      owners.add(ownerId);
    }
  }
  if (byPrincipal) await loadPrincipals(db, state, owners);
  for (const some of portionsOf(
    pairs.map(([agentId, buyerId]) => [agentId, principalOf(state, buyerId)] as [string, string]),
  )) {
    for (const { agentId, buyerId, voice } of await loadVoices(db, some))
      state.voices.set(voiceKey(agentId, buyerId), unpackVoice(voice));
  }
  for (const { category, prices } of await loadPrices(db)) state.prices.set(category, pricesOf(prices));
  for (const { category, ...seen } of await loadNewcomers(db)) state.newcomers.set(category, seen);
  for (const { category, ...tastes } of await loadTastes(db)) state.tastes.set(category, tastes);
  for (const some of portionsOf(new Set([...owners].map((id) => principalOf(state, id)))))
    for (const { ownerId, ...flow } of await loadFlows(db, some)) state.flows.set(ownerId, flow);
  for (const some of portionsOf(buyers))
    for (const { ownerId, ...buyer } of await loadBuyers(db, some)) state.buyers.set(ownerId, buyer);
  return state;
}

const loadAgents = (db: Queryable, ids: string[]) =>
  rows<AgentFound>(
    db,
    'reputation_load_agents',
    `select r.agent_id as id, a.owner_id as "ownerId", r.record, r.trust_tier as tier from unnest($1::uuid[]) as k(id)
     cross join lateral (select agent_id, record, trust_tier from reputations where agent_id = k.id limit 1) r
     cross join lateral (select owner_id from agents where id = k.id limit 1) a`,
    [ids],
  );

async function loadPrincipals(db: Queryable, { principals }: State, owners: Iterable<string>): Promise<void> {
  for (const some of portionsOf(owners)) {
    const found = await rows<{ ownerId: string; principalId: string }>(
      db,
      'reputation_load_principals',
      `select p.owner_id as "ownerId", p.principal_id as "principalId" from unnest($1::uuid[]) as k(id)
       cross join lateral (
         select owner_id, principal_id from owner_principals where owner_id = k.id and principal_id <> k.id limit 1
       ) p`,
      [some],
    );
    for (const { ownerId, principalId } of found) principals.set(ownerId, principalId);
  }
}

const loadVoices = (db: Queryable, pairs: [agentId: string, buyerId: string][]) =>
  rows<{ agentId: string; buyerId: string; voice: StoredVoice }>(
    db,
    'reputation_load_voices',
    `select v.agent_id as "agentId", v.buyer_id as "buyerId", v.voice
     from unnest($1::uuid[], $2::uuid[]) as k(agent, buyer) cross join lateral (
       select agent_id, buyer_id, voice from agent_voices where agent_id = k.agent and buyer_id = k.buyer limit 1
     ) v`,
    [pairs.map(([agentId]) => agentId), pairs.map(([, buyerId]) => buyerId)],
  );

/** As JSON, for PostgreSQL's lists of large numbers come as texts. */
const loadPrices = (db: Queryable) =>
  rows<{ category: Category; prices: number[] }>(
    db,
    'reputation_load_prices',
    'select category, to_json(prices) as prices from category_prices',
  );

const loadNewcomers = (db: Queryable) =>
  rows<Tally & { category: Category }>(
    db,
    'reputation_load_newcomers',
    'select category, mass, good from category_newcomers',
  );

const loadTastes = (db: Queryable) =>
  rows<Tastes & { category: Category }>(
    db,
    'reputation_load_tastes',
    'select category, pairs, together, apart from category_tastes',
  );

const loadFlows = (db: Queryable, owners: string[]) =>
  rows<Flow & { ownerId: string }>(
    db,
    'reputation_load_flows',
    `select f.owner_id as "ownerId", f.spent, f.earned from unnest($1::uuid[]) as k(id)
     cross join lateral (select owner_id, spent, earned from owner_flows where owner_id = k.id limit 1) f`,
    [owners],
  );

/** The records of buyers; those that have none yet are left out. */
const loadBuyers = (db: Queryable, owners: string[]) =>
  rows<Deals & { ownerId: string }>(
    db,
    'reputation_load_buyers',
    `select b.owner_id as "ownerId", b.passed, b.rejected, b.refunded, b.disputes_lost as "disputesLost", b.spent
     from unnest($1::uuid[]) as k(id)
     cross join lateral (select * from buyer_records where owner_id = k.id limit 1) b`,
    [owners],
  );
