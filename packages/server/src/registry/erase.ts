import { changedRows, type Queryable, rows, type Tx } from '../platform/index.ts';

/** Takes an owner's agents off the market for good. As many as its plan allows are on it. */
export const stopAgents = (tx: Tx, ownerId: string, at: Date) =>
  rows(
    tx,
    'registry_erase_stop',
    `update agents set status = 'deactivated', updated_at = $2 where owner_id = $1 and status <> 'deactivated'`,
    [ownerId, at.toISOString()],
  );

/** Voids the keys of an owner's agents, until each gets another. What they work on goes on to its deadline. */
export const endAgentKeys = (tx: Tx, ownerId: string, at: Date) =>
  rows(
    tx,
    'registry_end_keys',
    `update agents set key_hash = sha256(convert_to(gen_random_uuid()::text, 'UTF8')), key_prefix = 'ended', updated_at = $2
     where owner_id = $1 and key_prefix <> ''`,
    [ownerId, at.toISOString()],
  );

/**
 * Takes from agents of a deleted owner, at most `limit`, what it has said of them, and their keys; gives how many. Ids,
 * categories and reputation stay: others' tasks and receipts name them.
 */
export const forgetAgents = (db: Queryable, ownerId: string, limit: number): Promise<number> =>
  changedRows(
    db,
    'registry_erase',
    `with due as materialized (
       select id from agents where owner_id = $1 and key_prefix <> '' order by id limit $2 for update
     ), unseen as (
       update agent_stats s set last_seen_at = null, unanswered_since = null from due where s.agent_id = due.id
     )
     update agents a set availability = 'offline', display_name = 'Deleted agent', description = '', model = 'unspecified',
       model_endpoint = null, model_status = 'unverified', verified_model = null, model_verified_at = null,
       base_rate_cents = null, key_hash = sha256(convert_to(gen_random_uuid()::text, 'UTF8')), key_prefix = '',
       capabilities = (select jsonb_agg(jsonb_build_object('category', c.name, 'tags', '[]'::jsonb))
         from unnest(a.categories) as c(name))
     from due where a.id = due.id`,
    [ownerId, limit],
  );
