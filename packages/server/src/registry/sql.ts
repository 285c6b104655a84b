import { type Plan, type Queryable, row, rows } from '../platform/index.ts';
import { type AgentRow, agentColumns, type Capability } from './agent-row.ts';

const fromAgents = 'from agents a join agent_stats s on s.agent_id = a.id join reputations r on r.agent_id = a.id';

/** Locks an owner's row, so that agents are counted and added by one request at a time. */
export const lockOwner = (tx: Queryable, ownerId: string) =>
  row<{ plan: Plan; status: string }>(
    tx,
    'registry_lock_owner',
    'select plan, status from owners where id = $1 for no key update',
    [ownerId],
  );

/** Agents that count against the plan, which are all but the deactivated ones, and all that were ever registered. */
export async function countAgents(tx: Queryable, ownerId: string): Promise<{ registered: number; made: number }> {
  const found = await row<{ registered: number; made: number }>(
    tx,
    'registry_count',
    `select count(*) filter (where status <> 'deactivated') as registered, count(*) as made
     from agents where owner_id = $1`,
    [ownerId],
  );
  return found ?? { registered: 0, made: 0 };
}

export interface NewAgent {
  id: string;
  ownerId: string;
  displayName: string;
  framework: string;
  model: string;
  modelEndpoint: string | null;
  description: string;
  capabilities: Capability[];
  baseRateCents: number | null;
  keyHash: Buffer;
  keyPrefix: string;
  at: Date;
}

const categoriesOf = (capabilities: Capability[]) => [...new Set(capabilities.map((one) => one.category))];

/** Adds the profile, its statistics and its reputation, which start at their defaults. */
export const insertAgent = (tx: Queryable, agent: NewAgent) =>
  rows(
    tx,
    'registry_insert',
    `with profile as (
       insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories,
         base_rate_cents, key_hash, key_prefix, created_at, updated_at, model_endpoint)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13) returning id
     ), stats as (
       insert into agent_stats (agent_id) select id from profile
     )
     insert into reputations (agent_id) select id from profile`,
    [
      agent.id,
      agent.ownerId,
      agent.displayName,
      agent.framework,
      agent.model,
      agent.description,
      JSON.stringify(agent.capabilities),
      categoriesOf(agent.capabilities),
      agent.baseRateCents,
      agent.keyHash,
      agent.keyPrefix,
      agent.at.toISOString(),
      agent.modelEndpoint,
    ],
  );

export const findAgent = (db: Queryable, id: string) =>
  row<AgentRow>(db, 'registry_find', `select ${agentColumns} ${fromAgents} where a.id = $1`, [id]);

/** Newest first, from below `beforeId`. */
export const listAgents = (db: Queryable, ownerId: string, beforeId: string | null, limit: number) =>
  rows<AgentRow>(
    db,
    'registry_list',
    `select ${agentColumns} ${fromAgents}
     where a.owner_id = $1 and ($2::uuid is null or a.id < $2) order by a.id desc limit $3`,
    [ownerId, beforeId, limit],
  );

/** What a profile update may change; a field left out stays. `pricing: null` takes the price away. */
export interface ProfileChange {
  displayName?: string | undefined;
  framework?: string | undefined;
  model?: string | undefined;
  /** Null takes it away. */
  modelEndpoint?: string | null | undefined;
  description?: string | undefined;
  capabilities?: Capability[] | undefined;
  pricing?: { baseRate: number } | null | undefined;
  availability?: string | undefined;
}

export const updateProfile = (tx: Queryable, id: string, change: ProfileChange, at: Date) =>
  rows(
    tx,
    'registry_update',
    `update agents set
       display_name = coalesce($2, display_name), framework = coalesce($3, framework), model = coalesce($4, model),
       description = coalesce($5, description), capabilities = coalesce($6::jsonb, capabilities),
       categories = coalesce($7::text[], categories), availability = coalesce($8, availability),
       base_rate_cents = case when $9 then $10::bigint else base_rate_cents end, updated_at = $11,
       model_endpoint = case when $12 then $13 else model_endpoint end
     where id = $1`,
    [
      id,
      change.displayName,
      change.framework,
      change.model,
      change.description,
      change.capabilities && JSON.stringify(change.capabilities),
      change.capabilities && categoriesOf(change.capabilities),
      change.availability,
      change.pricing !== undefined,
      change.pricing?.baseRate,
      at.toISOString(),
      change.modelEndpoint !== undefined,
      change.modelEndpoint,
    ],
  );

/** Moves an agent out of one of the given statuses; false where it is in none of them any more. */
export async function changeStatus(
  tx: Queryable,
  change: { id: string; from: AgentRow['status'][]; to: AgentRow['status']; at: Date },
): Promise<boolean> {
  const changed = await rows(
    tx,
    'registry_change_status',
    'update agents set status = $3, updated_at = $4 where id = $1 and status = any($2) returning id',
    [change.id, change.from, change.to, change.at.toISOString()],
  );
  return changed.length === 1;
}

export const replaceKey = (tx: Queryable, change: { id: string; keyHash: Buffer; keyPrefix: string; at: Date }) =>
  rows(tx, 'registry_replace_key', 'update agents set key_hash = $2, key_prefix = $3, updated_at = $4 where id = $1', [
    change.id,
    change.keyHash,
    change.keyPrefix,
    change.at.toISOString(),
  ]);

export interface KeyRow {
  hash: string;
  agentId: string;
  ownerId: string;
  status: AgentRow['status'];
  ownerStatus: 'active' | 'suspended';
}

/** Agents by key hash (hex), by keyed look-ups whatever the statistics of a fresh table say. */
export const loadKeys = (db: Queryable, hashes: string[]) =>
  rows<KeyRow>(
    db,
    'registry_load_keys',
    `select k.hash, a.id as "agentId", a.owner_id as "ownerId", a.status, o.status as "ownerStatus"
     from unnest($1::text[]) as k(hash)
     cross join lateral (select id, owner_id, status from agents where key_hash = decode(k.hash, 'hex') limit 1) a
     cross join lateral (select status from owners where id = a.owner_id and status <> 'deleted' limit 1) o`,
    [hashes],
  );

/** Whether the key of an agent (hash in hex) still is its key. */
export const isKeyOf = async (tx: Queryable, agentId: string, keyHash: string): Promise<boolean> =>
  (await row(tx, 'registry_is_key', `select from agents where id = $1 and key_hash = decode($2, 'hex')`, [
    agentId,
    keyHash,
  ])) !== null;

/**
 * Keeps the latest time of each agent, whichever process stores it last. Gives the agents that are settled: a row that a
 * task step has locked is passed over, for waiting while others are held could deadlock with it.
 */
export async function storeSeen(db: Queryable, seen: { agentId: string; at: Date }[]): Promise<Set<string>> {
  const settled = await rows<{ agentId: string }>(
    db,
    'registry_store_seen',
    `with item as materialized (
       select i.* from unnest($1::uuid[], $2::timestamptz[]) as i(agent_id, at)
     ), due as materialized (
       select i.* from item i cross join lateral (
         select from agent_stats s where s.agent_id = i.agent_id and (s.last_seen_at is null or s.last_seen_at < i.at)
         for update skip locked
       ) s
     ), stored as (
       update agent_stats s set last_seen_at = d.at from due d where s.agent_id = d.agent_id returning s.agent_id
     )
     select agent_id as "agentId" from stored
     union all
     select i.agent_id from item i cross join lateral (
       select last_seen_at as at from agent_stats where agent_id = i.agent_id limit 1
     ) s where s.at >= i.at`,
    [seen.map(({ agentId }) => agentId), seen.map(({ at }) => at.toISOString())],
  );
  return new Set(settled.map(({ agentId }) => agentId));
}

/** An agent that comes back counts as one that was never seen, until it asks for tasks or leaves one unanswered. */
export const forgetSeen = (tx: Queryable, agentId: string) =>
  rows(
    tx,
    'registry_forget_seen',
    'update agent_stats set last_seen_at = null, unanswered_since = null where agent_id = $1',
    [agentId],
  );

/**
 * Of agents that never asked for tasks, notes since when one waits for each; what was noted stays until they answer. One
 * row at a time, for waiting while others are held could deadlock with a task step.
 */
export async function noteUnanswered(db: Queryable, waiting: { agentId: string; since: string }[]): Promise<void> {
  if (waiting.length === 0) return;
  const silent = await rows<{ agentId: string; since: string }>(
    db,
    'registry_silent_among',
    `select i.agent as "agentId", i.since from unnest($1::uuid[], $2::timestamptz[]) as i(agent, since)
     cross join lateral (
       select last_seen_at, unanswered_since from agent_stats where agent_id = i.agent limit 1
     ) s where s.last_seen_at is null and s.unanswered_since is null`,
    [waiting.map(({ agentId }) => agentId), waiting.map(({ since }) => since)],
  );
  for (const { agentId, since } of silent) {
    await rows(
      db,
      'registry_note_unanswered',
      `update agent_stats set unanswered_since = $2
       where agent_id = $1 and last_seen_at is null and unanswered_since is null`,
      [agentId, since],
    );
  }
}

/** Agents by id, in no order. */
export const findAgents = (db: Queryable, ids: string[]) =>
  rows<AgentRow>(
    db,
    'registry_find_many',
    `select f.* from unnest($1::uuid[]) as k(id)
     cross join lateral (select ${agentColumns} ${fromAgents} where a.id = k.id limit 1) f`,
    [ids],
  );
