import type { ForgeKind } from '@agora-market/contract';
import { changedRows, type Queryable, row, rows } from '../platform/index.ts';
import type { Place } from './forge.ts';

export interface ConnectionRow extends Place {
  ownerId: string;
  login: string;
  method: 'token' | 'oauth' | 'app';
  /** Null for an installation of the App, which has tokens of an hour each. */
  token: Buffer | null;
  installationId: number | null;
  connectedAt: string;
}

const columns = `owner_id as "ownerId", forge, base_url as "baseUrl", token, login, method,
  installation_id as "installationId", connected_at as "connectedAt"`;

export const findConnection = (db: Queryable, ownerId: string, { forge, baseUrl }: Place) =>
  row<ConnectionRow>(
    db,
    'forge_connections_get',
    `select ${columns} from forge_connections where owner_id = $1 and forge = $2 and base_url = $3`,
    [ownerId, forge, baseUrl],
  );

/** All of an owner, as many as the contract allows. */
export const findConnections = (db: Queryable, ownerId: string) =>
  rows<ConnectionRow>(
    db,
    'forge_connections_of_owner',
    `select ${columns} from forge_connections where owner_id = $1 order by forge, base_url`,
    [ownerId],
  );

export const listConnections = (
  db: Queryable,
  ownerId: string,
  after: readonly [ForgeKind, string] | null,
  limit: number,
) =>
  rows<ConnectionRow>(
    db,
    'forge_connections_list',
    `select ${columns} from forge_connections
     where owner_id = $1 and ($2::text is null or (forge, base_url) > ($2, $3)) order by forge, base_url limit $4`,
    [ownerId, after?.[0] ?? null, after?.[1] ?? null, limit],
  );

/** Replaces the connection before. */
export const storeConnection = (db: Queryable, connection: ConnectionRow) =>
  changedRows(
    db,
    'forge_connections_store',
    `insert into forge_connections (owner_id, forge, base_url, token, login, method, installation_id, connected_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (owner_id, forge, base_url) do update set token = excluded.token, login = excluded.login,
       method = excluded.method, installation_id = excluded.installation_id, connected_at = excluded.connected_at`,
    [
      ...[connection.ownerId, connection.forge, connection.baseUrl, connection.token, connection.login],
      ...[connection.method, connection.installationId, connection.connectedAt],
    ],
  );

/** False if there was none. */
export const deleteConnection = async (db: Queryable, ownerId: string, { forge, baseUrl }: Place): Promise<boolean> =>
  (await changedRows(
    db,
    'forge_connections_delete',
    'delete from forge_connections where owner_id = $1 and forge = $2 and base_url = $3',
    [ownerId, forge, baseUrl],
  )) === 1;

export const deleteConnections = (db: Queryable, ownerId: string) =>
  rows(db, 'forge_connections_delete_all', 'delete from forge_connections where owner_id = $1', [ownerId]);
