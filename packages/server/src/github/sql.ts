import { changedRows, type Queryable, row } from '../platform/index.ts';

export interface ConnectionRow {
  token: Buffer;
  login: string;
  method: 'token' | 'oauth';
  connectedAt: string;
}

const columns = 'token, login, method, connected_at as "connectedAt"';

export const findConnection = (db: Queryable, ownerId: string) =>
  row<ConnectionRow>(db, 'github_connections_get', `select ${columns} from github_connections where owner_id = $1`, [
    ownerId,
  ]);

/** Replaces the connection before. */
export const storeConnection = (
  db: Queryable,
  { ownerId, token, login, method, at }: Omit<ConnectionRow, 'connectedAt'> & { ownerId: string; at: Date },
) =>
  changedRows(
    db,
    'github_connections_store',
    `insert into github_connections (owner_id, token, login, method, connected_at) values ($1, $2, $3, $4, $5)
     on conflict (owner_id) do update set token = excluded.token, login = excluded.login, method = excluded.method,
       connected_at = excluded.connected_at`,
    [ownerId, token, login, method, at.toISOString()],
  );

/** False if there was none. */
export const deleteConnection = async (db: Queryable, ownerId: string): Promise<boolean> =>
  (await changedRows(db, 'github_connections_delete', 'delete from github_connections where owner_id = $1', [
    ownerId,
  ])) === 1;
