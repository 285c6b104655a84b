import { type Operations, ownedAtMost, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../events/index.ts';
import { type Call, decodeCursor, ensure, newUuid, pageOf, type Queryable } from '../platform/index.ts';
import { newCredential } from './credentials.ts';
import type { AuthDeps } from './deps.ts';
import { isVerified } from './email.ts';
import { countTokens, deleteToken, insertToken, listTokens, lockOwner, type TokenRow } from './sql.ts';

const tokenView = (token: TokenRow) => ({ ...token, id: toId('token', token.id) });

/** Logs an event about a token, with the prefix that its owner's list shows. */
const record = (
  { tx, caller, now, correlationId }: Call<Operations['auth.createToken' | 'auth.revokeToken']>,
  type: 'token.created' | 'token.revoked',
  { id, name, tokenPrefix }: TokenRow,
) =>
  appendEvent(tx, {
    type,
    district: 'auth',
    at: now,
    correlationId,
    ownerId: caller.ownerId,
    data: { tokenId: toId('token', id), name, tokenPrefix },
  });

/** Only this reply ever contains the token. */
export async function createToken(deps: AuthDeps, call: Call<Operations['auth.createToken']>) {
  ensure(await isVerified(call.tx, call.caller.ownerId, deps.config), 'EMAIL_NOT_VERIFIED');
  await requireRoom(call.tx, call.caller.ownerId);
  const { text, hash, shownPrefix } = newCredential('ac_dev_');
  const token = await insertToken(call.tx, {
    id: newUuid(deps.clock),
    ownerId: call.caller.ownerId,
    name: call.body.name,
    hash,
    shownPrefix,
    at: call.now,
  });
  if (!token) throw new Error('the insert of a token returned no row');
  await record(call, 'token.created', token);
  return { ...tokenView(token), token: text };
}

async function requireRoom(tx: Queryable, ownerId: string): Promise<void> {
  const limit = ownedAtMost.developerTokens;
  await lockOwner(tx, ownerId);
  const found = await countTokens(tx, ownerId);
  const message = `An owner can have ${limit} developer tokens. Revoke one first.`;
  ensure(found && found.count < limit, 'TOKEN_LIMIT_REACHED', message, { limit });
}

export async function listOwnTokens(deps: AuthDeps, call: Call<Operations['auth.listTokens']>) {
  const { pageSize, cursor } = call.query;
  const before = decodeCursor(cursor, z.guid());
  const found = await listTokens(deps.pool, call.caller.ownerId, before, pageSize + 1);
  return pageOf(found, pageSize, (token) => token.id, tokenView);
}

/** Another owner's token is treated like one that does not exist. */
export async function revokeToken(call: Call<Operations['auth.revokeToken']>): Promise<void> {
  const id = toUuid('token', call.params.tokenId);
  ensure(id, 'TOKEN_NOT_FOUND');
  const [token] = await deleteToken(call.tx, call.caller.ownerId, id);
  ensure(token, 'TOKEN_NOT_FOUND');
  await record(call, 'token.revoked', token);
}
