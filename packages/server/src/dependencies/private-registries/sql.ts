import type { PackageRegistryKind } from '@agora-market/contract';
import { changedRows, type Queryable, rows } from '../../platform/index.ts';

export interface Place {
  kind: PackageRegistryKind;
  url: string;
}

export interface RegistryRow extends Place {
  ownerId: string;
  username: string | null;
  token: Buffer;
  packages: string[];
  updatedAt: string;
}

const columns = 'owner_id as "ownerId", kind, url, username, token, packages, updated_at as "updatedAt"';

/** All of an owner, as many as the contract allows. */
export const registriesOfOwner = (db: Queryable, ownerId: string) =>
  rows<RegistryRow>(
    db,
    'package_registries_of_owner',
    `select ${columns} from package_registries where owner_id = $1 order by kind, url`,
    [ownerId],
  );

export const listRegistries = (
  db: Queryable,
  ownerId: string,
  after: readonly [string, string] | null,
  limit: number,
) =>
  rows<RegistryRow>(
    db,
    'package_registries_list',
    `select ${columns} from package_registries
     where owner_id = $1 and ($2::text is null or (kind, url) > ($2, $3)) order by kind, url limit $4`,
    [ownerId, after?.[0] ?? null, after?.[1] ?? null, limit],
  );

/** Replaces the one before. */
export const storeRegistry = (db: Queryable, each: RegistryRow) =>
  changedRows(
    db,
    'package_registries_store',
    `insert into package_registries (owner_id, kind, url, username, token, packages, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (owner_id, kind, url) do update set username = excluded.username, token = excluded.token,
       packages = excluded.packages, updated_at = excluded.updated_at`,
    [each.ownerId, each.kind, each.url, each.username, each.token, each.packages, each.updatedAt],
  );

/** False if there was none. */
export const deleteRegistry = async (db: Queryable, ownerId: string, { kind, url }: Place): Promise<boolean> =>
  (await changedRows(
    db,
    'package_registries_delete',
    'delete from package_registries where owner_id = $1 and kind = $2 and url = $3',
    [ownerId, kind, url],
  )) === 1;

/** Forgets the registries of an account that is deleted. */
export const eraseRegistries = (db: Queryable, ownerId: string) =>
  rows(db, 'package_registries_delete_all', 'delete from package_registries where owner_id = $1', [ownerId]);
