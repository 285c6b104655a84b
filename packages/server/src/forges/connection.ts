import { forgeKinds, type Operations, ownedAtMost } from '@agora-market/contract';
import { z } from 'zod';
import { requireAccount } from '../auth/index.ts';
import { appendEvent } from '../events/index.ts';
import {
  type Call,
  decodeCursor,
  encodeCursor,
  encryption,
  ensure,
  invalidField,
  pageOf,
  transaction,
  violates,
} from '../platform/index.ts';
import { placeOf, rootOf } from './access.ts';
import type { ForgeDeps } from './deps.ts';
import type { Place } from './forge.ts';
import { beginAuthorization, completion } from './github/authorization.ts';
import {
  type ConnectionRow,
  deleteConnection,
  findConnection,
  findConnections,
  listConnections,
  storeConnection,
} from './sql.ts';

type Shown = Pick<ConnectionRow, 'login' | 'method' | 'connectedAt'>;

const viewIn =
  ({ config }: Pick<ForgeDeps, 'config'>) =>
  (place: Place, row: Shown | null) => ({
    connected: row !== null,
    forge: place.forge,
    baseUrl: rootOf(place, config),
    login: row?.login ?? null,
    method: row?.method ?? null,
    connectedAt: row?.connectedAt ?? null,
  });

export async function readConnection(deps: ForgeDeps, { caller, query }: Call<Operations['github.connection']>) {
  const place = placeOf(query, deps.config);
  return viewIn(deps)(place, await findConnection(deps.pool, caller.ownerId, place));
}

const position = z.tuple([z.enum(forgeKinds), z.string().max(300)]);

export async function listOwnConnections(deps: ForgeDeps, { caller, query }: Call<Operations['github.connections']>) {
  const { pageSize, cursor } = query;
  const found = await listConnections(deps.pool, caller.ownerId, decodeCursor(cursor, position), pageSize + 1);
  const view = viewIn(deps);
  return pageOf(
    found,
    pageSize,
    ({ forge, baseUrl }) => [forge, baseUrl],
    (each) => view(each, each),
  );
}

export const authorize = async ({ config }: ForgeDeps, { caller, now }: Call<Operations['github.authorize']>) =>
  beginAuthorization(encryption(config), config, caller.ownerId, now);

/** Stores a token once the forge has said whose it is, or the installation of the App that somebody may connect. */
export async function connect(deps: ForgeDeps, call: Call<Operations['github.connect']>) {
  const { caller, body, now, correlationId } = call;
  const { ownerId } = caller;
  const place = placeOf(body, deps.config);
  const secret =
    body.token === undefined ? await authorized(deps, call) : await byToken(deps, ownerId, place, body.token);
  const connection: ConnectionRow = { ownerId, ...place, ...secret, connectedAt: now.toISOString() };
  await transaction(deps.pool, 'write', async (tx) => {
    await requireAccount(tx, ownerId, caller.credential);
    await storeConnection(tx, connection);
    if ((await findConnections(tx, ownerId)).length > ownedAtMost.forgeConnections)
      throw invalidField('baseUrl', `is one too many: an owner can connect ${ownedAtMost.forgeConnections} forges`);
    const { login, method, forge, baseUrl } = connection;
    const data = { login, method, ...(forge !== 'github' && { forge, baseUrl }) };
    await appendEvent(tx, { type: 'github.connected', district: 'github', at: now, correlationId, ownerId, data });
  }).catch((error) => {
    if (!violates(error, 'forge_connections_installation_id')) throw error;
    throw invalidField('installationId', 'is connected by another account here. Disconnect it there first');
  });
  return viewIn(deps)(place, connection);
}

type Secret = Pick<ConnectionRow, 'token' | 'login' | 'method' | 'installationId'>;

async function byToken(deps: ForgeDeps, ownerId: string, place: Place, token: string): Promise<Secret> {
  const { forge } = place;
  const login = await deps.forges[forge].loginOf({
    forge,
    root: rootOf(place, deps.config),
    token,
    installation: null,
  });
  return { token: deps.accesses.encrypt(ownerId, place, token), login, method: 'token', installationId: null };
}

/** By what GitHub sent back. With an App nothing of the owner's is kept but which installation is theirs. */
async function authorized(deps: ForgeDeps, { caller, body, now }: Call<Operations['github.connect']>): Promise<Secret> {
  const { config, api, app } = deps;
  const { code = '', state = '', installationId } = body;
  const token = await api.exchange(completion(encryption(config), config, caller.ownerId, { code, state }, now));
  if (app === null) {
    const secret = await byToken(deps, caller.ownerId, { forge: 'github', baseUrl: '' }, token);
    return { ...secret, method: 'oauth' };
  }
  const { id, login } = await app.installationOf(token, installationId);
  return { token: null, login, method: 'app', installationId: id };
}

export async function disconnect(
  { config }: ForgeDeps,
  { tx, caller, query, now, correlationId }: Call<Operations['github.disconnect']>,
): Promise<void> {
  const { ownerId } = caller;
  const place = placeOf(query, config);
  if (!(await deleteConnection(tx, ownerId, place))) return;
  const data = place.forge === 'github' ? {} : place;
  const event = { type: 'github.disconnected', district: 'github', at: now, correlationId, ownerId } as const;
  await appendEvent(tx, { ...event, data: { ...data } });
}

/** Forges count pages; other sizes would begin elsewhere, so the cursor names that of the first page. */
const pagePosition = z.tuple([z.int().min(1).max(100_000), z.int().min(1).max(100)]);

export async function listRepositories(deps: ForgeDeps, call: Call<Operations['github.repositories']>) {
  const { caller, query } = call;
  const place = placeOf(query, deps.config);
  const [number, pageSize] = decodeCursor(query.cursor, pagePosition) ?? [1, query.pageSize];
  const access = await deps.accesses.of(caller.ownerId, place);
  ensure(access, 'GITHUB_NOT_CONNECTED');
  const { found, hasNext } = await deps.forges[place.forge].list(access, number, pageSize);
  const data = found.slice(0, pageSize).map(({ fullName, isPrivate, defaultBranch }) => ({
    fullName,
    url: `${access.root}/${fullName}.git`,
    private: isPrivate,
    defaultBranch,
  }));
  const nextCursor = hasNext ? encodeCursor([number + 1, pageSize]) : null;
  return { data, pagination: { pageSize, nextCursor } };
}
