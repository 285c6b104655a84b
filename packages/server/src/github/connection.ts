import type { Operations } from '@agora/contract';
import { z } from 'zod';
import { requireAccount } from '../auth/index.ts';
import { appendEvent } from '../events/index.ts';
import { type Call, decodeCursor, encodeCursor, encryption, ensure, transaction } from '../platform/index.ts';
import { beginAuthorization, completion } from './authorization.ts';
import type { GitHubDeps } from './deps.ts';
import { type ConnectionRow, deleteConnection, findConnection, storeConnection } from './sql.ts';

const view = (row: Omit<ConnectionRow, 'token'> | null) => ({
  connected: row !== null,
  login: row?.login ?? null,
  method: row?.method ?? null,
  connectedAt: row?.connectedAt ?? null,
});

export const readConnection = async ({ pool }: GitHubDeps, { caller }: Call<Operations['github.connection']>) =>
  view(await findConnection(pool, caller.ownerId));

export const authorize = async ({ config }: GitHubDeps, { caller, now }: Call<Operations['github.authorize']>) =>
  beginAuthorization(encryption(config), config, caller.ownerId, now);

const account = z.object({ login: z.string().min(1).max(100) });

/** Stores a token once GitHub has said whose it is. */
export async function connect(deps: GitHubDeps, call: Call<Operations['github.connect']>) {
  const { caller, now, correlationId } = call;
  const { ownerId } = caller;
  const { token, method } = await tokenOf(deps, call);
  const { value } = await deps.api.ask(token, '/user', account);
  const connection = { login: value.login, method, token: deps.tokens.encrypt(ownerId, token) };
  await transaction(deps.pool, 'write', async (tx) => {
    await requireAccount(tx, ownerId);
    await storeConnection(tx, { ...connection, ownerId, at: now });
    const data = { login: value.login, method };
    await appendEvent(tx, { type: 'github.connected', district: 'github', at: now, correlationId, ownerId, data });
  });
  return view({ ...connection, connectedAt: now.toISOString() });
}

async function tokenOf(
  { api, config }: GitHubDeps,
  { caller, body, now }: Call<Operations['github.connect']>,
): Promise<{ token: string; method: ConnectionRow['method'] }> {
  if (body.token !== undefined) return { token: body.token, method: 'token' };
  const { code = '', state = '' } = body;
  const form = completion(encryption(config), config, caller.ownerId, { code, state }, now);
  return { token: await api.exchange(form), method: 'oauth' };
}

export async function disconnect({ tx, caller, now, correlationId }: Call<Operations['github.disconnect']>) {
  const { ownerId } = caller;
  if (!(await deleteConnection(tx, ownerId))) return;
  await appendEvent(tx, { type: 'github.disconnected', district: 'github', at: now, correlationId, ownerId, data: {} });
}

const listed = z.array(
  z.object({
    full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/),
    private: z.boolean(),
    default_branch: z.string().max(300),
  }),
);
/** GitHub counts pages; other sizes would begin elsewhere, so the cursor names that of the first page. */
const position = z.tuple([z.int().min(1).max(100_000), z.int().min(1).max(100)]);

export async function listRepositories(deps: GitHubDeps, call: Call<Operations['github.repositories']>) {
  const { caller, query } = call;
  const [number, pageSize] = decodeCursor(query.cursor, position) ?? [1, query.pageSize];
  const token = await deps.tokens.of(caller.ownerId);
  ensure(token, 'GITHUB_NOT_CONNECTED');
  const path = `/user/repos?sort=full_name&per_page=${pageSize}&page=${number}`;
  const { value, hasNext } = await deps.api.ask(token, path, listed);
  const data = value.slice(0, pageSize).map((found) => ({
    fullName: found.full_name,
    url: `${deps.config.GITHUB_BASE_URL}/${found.full_name}.git`,
    private: found.private,
    defaultBranch: found.default_branch,
  }));
  const nextCursor = hasNext ? encodeCursor([number + 1, pageSize]) : null;
  return { data, pagination: { pageSize, nextCursor } };
}
