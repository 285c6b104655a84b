import { type Operations, ownedAtMost, type PackageRegistryKind, packageRegistryKinds } from '@agora-market/contract';
import { z } from 'zod';
import { requireAccount } from '../../auth/index.ts';
import { appendEvent } from '../../events/index.ts';
import {
  type Call,
  type Config,
  decodeCursor,
  type Encryption,
  encryption,
  invalidField,
  type Pool,
  pageOf,
  type Route,
  route,
} from '../../platform/index.ts';
import { urlProblem } from '../../platform/outbound/index.ts';
import {
  deleteRegistry,
  listRegistries,
  type Place,
  type RegistryRow,
  registriesOfOwner,
  storeRegistry,
} from './sql.ts';

/** Private registries of owners, whose tokens are encrypted in the database. */
export interface PrivateRegistries {
  routes: Route[];
  /** Those of the owner whose tokens this server can read. */
  of(ownerId: string): Promise<PrivateRegistry[]>;
}

/** As the thread that fetches is given it. */
export interface PrivateRegistry {
  kind: PackageRegistryKind;
  /** Without a slash at the end. */
  url: string;
  /** The value of the header Authorization. */
  authorization: string;
  packages: string[];
  updatedAt: string;
}

/** Each token's own key, so that one copied into another's row opens nothing. */
export const keyOf = (safe: Encryption, ownerId: string, { kind, url }: Place): Buffer =>
  safe.digest('package registry', ownerId, kind, url);

interface Deps {
  pool: Pool;
  config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR' | 'OUTBOUND_ALLOW_LOOPBACK'>;
}

export function createPrivateRegistries({ pool, config }: Deps): PrivateRegistries {
  const safe = encryption(config);
  return {
    routes: [
      route('packageRegistries.list', (call) => listOwn(pool, call)),
      route('packageRegistries.set', (call) => set(safe, config, call)),
      route('packageRegistries.remove', (call) => remove(config, call)),
    ],
    async of(ownerId) {
      const found = await registriesOfOwner(pool, ownerId);
      return found.flatMap((each) => {
        const { kind, url, username, packages, updatedAt } = each;
        const token = safe.decrypt(keyOf(safe, ownerId, each), each.token);
        if (token === null) return [];
        return [{ kind, url, packages, updatedAt, authorization: authorizationOf(kind, username, token) }];
      });
    },
  };
}

function authorizationOf(kind: PackageRegistryKind, username: string | null, token: string): string {
  if (username !== null) return `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
  // Cargo sends what its user gave it, without a scheme.
  return kind === 'cargo' ? token : `Bearer ${token}`;
}

/** Some registries have a token in their paths. */
const told = ({ kind, url }: Place) => ({ kind, host: new URL(url).host });

const view = ({ kind, url, username, packages, updatedAt }: RegistryRow) => {
  return { kind, url, username, packages, updatedAt };
};

const position = z.tuple([z.enum(packageRegistryKinds), z.string().max(600)]);

async function listOwn(pool: Pool, { caller, query }: Call<Operations['packageRegistries.list']>) {
  const { pageSize, cursor } = query;
  const found = await listRegistries(pool, caller.ownerId, decodeCursor(cursor, position), pageSize + 1);
  return pageOf(found, pageSize, ({ kind, url }) => [kind, url], view);
}

async function set(
  safe: Encryption,
  config: Deps['config'],
  { tx, caller, body, now, correlationId }: Call<Operations['packageRegistries.set']>,
) {
  const { ownerId } = caller;
  const { token, username = null, packages } = body;
  const place = placeOf(body, config);
  const stored = { ownerId, ...place, username, packages, updatedAt: now.toISOString() };
  await requireAccount(tx, ownerId, caller.credential);
  await storeRegistry(tx, { ...stored, token: safe.encrypt(keyOf(safe, ownerId, place), token) });
  if ((await registriesOfOwner(tx, ownerId)).length > ownedAtMost.packageRegistries) {
    throw invalidField('url', `is one too many: an owner can store ${ownedAtMost.packageRegistries} registries`);
  }
  const event = { type: 'package_registry.set', district: 'dependencies', at: now, correlationId, ownerId } as const;
  await appendEvent(tx, { ...event, data: told(place) });
  const { ownerId: _, ...shown } = stored;
  return shown;
}

async function remove(
  config: Deps['config'],
  { tx, caller, query, now, correlationId }: Call<Operations['packageRegistries.remove']>,
): Promise<void> {
  const { ownerId } = caller;
  const place = placeOf(query, config);
  if (!(await deleteRegistry(tx, ownerId, place))) return;
  const event = {
    type: 'package_registry.removed',
    district: 'dependencies',
    at: now,
    correlationId,
    ownerId,
  } as const;
  await appendEvent(tx, { ...event, data: told(place) });
}

/** Written in one way, so that one registry is not stored twice. */
function placeOf({ kind, url }: Place, { OUTBOUND_ALLOW_LOOPBACK }: Deps['config']): Place {
  const problem = urlProblem(url, { allowLoopback: OUTBOUND_ALLOW_LOOPBACK });
  if (problem !== null) throw invalidField('url', problem);
  const { origin, hostname, pathname, search } = new URL(url);
  if (search !== '') throw invalidField('url', 'takes no query');
  // Cargo fills in what stands between braces.
  if (!/^[\w.:[\]-]+$/.test(hostname)) throw invalidField('url', 'must have a plain host name');
  const written = `${origin}${pathname.replace(/\/+$/, '')}`;
  if (written.length > 500) throw invalidField('url', 'must have at most 500 characters as it is sent');
  return { kind, url: written };
}
