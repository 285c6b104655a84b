import { type Operations, ownedAtMost, toId, toUuid, trustQueriesByPlan } from '@agora-market/contract';
import { z } from 'zod';
import { hashCredential, isVerified, newCredential } from '../auth/index.ts';
import { appendEvent } from '../events/index.ts';
import {
  batchLoader,
  type Call,
  decodeCursor,
  ensure,
  newUuid,
  type Pool,
  pageOf,
  type TrustCaller,
} from '../platform/index.ts';
import type { TrustDeps } from './deps.ts';
import {
  countActiveKeys,
  forgetRevoked,
  insertKey,
  listKeys,
  loadKeys,
  lockKey,
  lockOwner,
  markRevoked,
  type TrustKeyRow,
} from './sql.ts';

/** Revoked keys that an owner's list still shows. */
const revokedKept = 100;

/**
 * Whose a trust key is. Every call reads the database, so a revocation or a suspension holds from the next request on.
 * Calls of one turn of the event loop share a statement.
 */
export function createTrustAuthentication({ pool }: { pool: Pool }): (key: string) => Promise<TrustCaller> {
  const byHash = batchLoader(
    async (hashes) => new Map((await loadKeys(pool, hashes)).map((each) => [each.hash, each])),
  );
  return async (key) => {
    ensure(key.startsWith('tst_'), 'INVALID_TRUST_KEY');
    const found = await byHash(hashCredential(key));
    ensure(found, 'INVALID_TRUST_KEY');
    ensure(found.ownerStatus === 'active', 'OWNER_SUSPENDED');
    return { kind: 'trust', keyId: found.keyId, ownerId: found.ownerId, plan: found.plan };
  };
}

/** How keys of the calling owner are shown; they share one quota. */
async function viewFor(deps: TrustDeps, { ownerId, plan }: { ownerId: string; plan: keyof typeof trustQueriesByPlan }) {
  const quota = { plan, dailyLimit: trustQueriesByPlan[plan], dailyUsage: await deps.quota.used(ownerId) };
  return ({ id, ...key }: TrustKeyRow) => ({
    id: toId('trustKey', id),
    ...key,
    ...quota,
    status: key.revokedAt === null ? ('active' as const) : ('revoked' as const),
  });
}

const record = (
  { tx, caller, now, correlationId }: Call<Operations['trust.createKey' | 'trust.revokeKey']>,
  type: 'trust_key.created' | 'trust_key.revoked',
  { id, name, keyPrefix }: TrustKeyRow,
) =>
  appendEvent(tx, {
    type,
    district: 'trust',
    at: now,
    correlationId,
    ownerId: caller.ownerId,
    data: { keyId: toId('trustKey', id), name, keyPrefix },
  });

/** The reply is the only place where the key's text ever stands. */
export async function createKey(deps: TrustDeps, call: Call<Operations['trust.createKey']>) {
  const { ownerId } = call.caller;
  const limit = ownedAtMost.trustKeys;
  const show = await viewFor(deps, call.caller);
  ensure(await isVerified(call.tx, ownerId, deps.config), 'EMAIL_NOT_VERIFIED');
  await lockOwner(call.tx, ownerId);
  const message = `An owner can have ${limit} active trust keys. Revoke one first.`;
  ensure((await countActiveKeys(call.tx, ownerId)) < limit, 'TRUST_KEY_LIMIT_REACHED', message, { limit });
  await forgetRevoked(call.tx, ownerId, revokedKept);
  const { text, hash, shownPrefix } = newCredential('tst_');
  const row = await insertKey(call.tx, {
    id: newUuid(deps.clock),
    ownerId,
    name: call.body.name,
    hash,
    shownPrefix,
    at: call.now,
  });
  if (!row) throw new Error('the insert of a trust key returned no row');
  await record(call, 'trust_key.created', row);
  return { ...show(row), key: text };
}

export async function listOwnKeys(deps: TrustDeps, call: Call<Operations['trust.listKeys']>) {
  const { pageSize, cursor } = call.query;
  const found = await listKeys(deps.pool, call.caller.ownerId, decodeCursor(cursor, z.guid()), pageSize + 1);
  return pageOf(found, pageSize, (key) => key.id, await viewFor(deps, call.caller));
}

/** Another owner's key is as unknown as one that never was. */
export async function revokeKey(call: Call<Operations['trust.revokeKey']>): Promise<void> {
  const id = toUuid('trustKey', call.params.keyId);
  ensure(id, 'TRUST_KEY_NOT_FOUND');
  const key = await lockKey(call.tx, call.caller.ownerId, id);
  ensure(key, 'TRUST_KEY_NOT_FOUND');
  ensure(key.revokedAt === null, 'WRONG_STATE', 'The trust key was already revoked.');
  await markRevoked(call.tx, id, call.now);
  await record(call, 'trust_key.revoked', key);
}
