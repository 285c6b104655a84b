import { type Operations, ownedAtMost, type ReplyOf, toId } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import { type Call, ensure, newUuid, type Queryable, RuleReply, sessionCookie } from '../platform/index.ts';
import { newCredential } from './credentials.ts';
import type { AuthDeps } from './deps.ts';
import {
  deleteExpiredSessions,
  deleteOldSessions,
  deleteSession,
  deleteSessions,
  findOwner,
  insertSession,
  type OwnerRow,
} from './sql.ts';

/** An owner as the wire has it. */
export const ownerView = (owner: OwnerRow): ReplyOf<Operations['auth.session']>['owner'] => ({
  id: toId('owner', owner.id),
  name: owner.name,
  email: owner.email,
  emailVerified: owner.emailVerifiedAt !== null,
  status: owner.status,
  plan: owner.plan,
  createdAt: owner.createdAt,
});

/** Starts a session inside the caller's transaction, which has locked or made the owner's row. Removes ended sessions of the owner and those above the limit. */
export async function startSession(
  deps: AuthDeps,
  tx: Queryable,
  owner: OwnerRow,
  { correlationId, raw }: Pick<Call, 'correlationId' | 'raw'>,
) {
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + deps.config.SESSION_IDLE_MS);
  const { text, hash } = newCredential('ac_sess_');
  const userAgent = raw.request.headers['user-agent']?.slice(0, 200) ?? null;
  const about = { ownerId: owner.id, at: now, correlationId };
  await deleteExpiredSessions(tx, owner.id, now);
  const ended = await deleteOldSessions(tx, owner.id, ownedAtMost.sessions - 1);
  for (const _ of ended) await recordSession(tx, 'session.ended', about);
  await insertSession(tx, { id: newUuid(deps.clock), hash, ownerId: owner.id, at: now, expiresAt, userAgent });
  await recordSession(tx, 'session.started', about);
  return { owner: ownerView(owner), token: text, expiresAt: expiresAt.toISOString() };
}

/** The reply that gives a caller its session: in the body, or in a cookie alone for a browser that asks for one. */
export function sessionReply<Status extends 200 | 201>(
  deps: AuthDeps,
  status: Status,
  session: Awaited<ReturnType<typeof startSession>>,
  { cookie }: { cookie?: boolean | undefined },
) {
  if (!cookie) return session;
  const setCookie = sessionCookie(deps.config).set(session.token);
  return new RuleReply(status, { ...session, token: null }, { 'set-cookie': setCookie });
}

/** Ends an owner's sessions, all `except` one or `only` one, and records each; gives how many. Hash in hex, id as UUID. */
export async function endSessions(
  tx: Queryable,
  about: { ownerId: string; at: Date; correlationId: string },
  { except = null, only = null }: { except?: string | null; only?: string | null },
): Promise<number> {
  const ended = await deleteSessions(tx, about.ownerId, { except, only });
  for (const _ of ended) await recordSession(tx, 'session.ended', about);
  return ended.length;
}

const recordSession = (
  tx: Queryable,
  type: 'session.started' | 'session.ended',
  { ownerId, ...rest }: { ownerId: string; at: Date; correlationId: string },
) => appendEvent(tx, { type, district: 'auth', ownerId, ...rest, data: { ownerId: toId('owner', ownerId) } });

export async function readSession(deps: AuthDeps, call: Call<Operations['auth.session']>) {
  const { ownerId, credential } = call.caller;
  const owner = await findOwner(deps.pool, ownerId);
  ensure(owner, 'INVALID_SESSION');
  return { owner: ownerView(owner), expiresAt: credential.type === 'session' ? credential.expiresAt : null };
}

export async function signOut(deps: AuthDeps, call: Call<Operations['auth.signOut']>) {
  const { credential, ownerId } = call.caller;
  ensure(credential.type === 'session', 'WRONG_STATE', 'A developer token has no session. Revoke the token instead.');
  const ended = await deleteSession(call.tx, credential.tokenHash);
  if (ended.length > 0) {
    await recordSession(call.tx, 'session.ended', { ownerId, at: call.now, correlationId: call.correlationId });
  }
  return sessionEnded(deps, call);
}

/** The reply to a request that has ended its own session; takes the cookie away where the session was in one. */
export function sessionEnded({ config }: Pick<AuthDeps, 'config'>, { raw }: Pick<Call, 'raw'>) {
  const cookie = sessionCookie(config);
  const { headers } = raw.request;
  if (headers.authorization !== undefined || cookie.read(headers) === undefined) return undefined;
  return new RuleReply(204, undefined, { 'set-cookie': cookie.clear() });
}
