import { batchLoader, ensure, type OwnerCaller } from '../platform/index.ts';
import { hashCredential } from './credentials.ts';
import type { AuthDeps } from './deps.ts';
import { type CredentialRow, extendSessions, loadSessions, loadTokens, touchTokens } from './sql.ts';

type Deps = Pick<AuthDeps, 'pool' | 'clock' | 'config' | 'log'>;

/** A developer token's last use is noted at most once in this time. */
const touchEveryMs = 60_000;

/** Sessions are extended once a minute, or oftener where they are short, so that reads do not become writes. */
const extendEveryMs = (idleMs: number) => Math.min(60_000, idleMs / 20);

const byHash = <R extends CredentialRow>(found: R[]) => new Map(found.map((one) => [one.hash, one]));

/**
 * Who an `Authorization` header belongs to. Every call reads the database, so that a sign-out, a revocation or a
 * suspension holds from the next request on; calls of one turn of the event loop share a statement.
 */
export function createOwnerAuthentication(deps: Deps): (authorizationHeader: string) => Promise<OwnerCaller> {
  const sessionByHash = sessionLoader(deps);
  const tokenByHash = tokenLoader(deps);

  return async (authorizationHeader) => {
    const text = /^Bearer +(\S+) *$/i.exec(authorizationHeader)?.[1] ?? '';
    const hash = hashCredential(text);
    if (text.startsWith('ac_dev_')) {
      const token = await tokenByHash(hash);
      ensure(token, 'INVALID_SESSION');
      return ownerCaller(token, { type: 'token', id: token.id });
    }
    ensure(text.startsWith('ac_sess_'), 'INVALID_SESSION');
    const session = await sessionByHash(hash);
    ensure(session && session.expiresAt > deps.clock.now().toISOString(), 'INVALID_SESSION');
    return ownerCaller(session, { type: 'session', tokenHash: hash, expiresAt: session.expiresAt });
  };
}

function ownerCaller(found: CredentialRow, credential: OwnerCaller['credential']): OwnerCaller {
  ensure(found.status === 'active', 'OWNER_SUSPENDED');
  return { kind: 'owner', ownerId: found.ownerId, plan: found.plan, credential };
}

/** Loads sessions and moves the end of those in use; a session that has ended is never brought back. */
function sessionLoader({ pool, clock, config }: Deps) {
  const idleMs = config.SESSION_IDLE_MS;
  return batchLoader(async (hashes) => {
    const found = await loadSessions(pool, hashes);
    const now = clock.now();
    const from = now.toISOString();
    const until = new Date(now.getTime() + idleMs - extendEveryMs(idleMs)).toISOString();
    const due = found.filter((one) => one.expiresAt > from && one.expiresAt <= until && one.status === 'active');
    if (due.length > 0) {
      const expiresAt = new Date(now.getTime() + idleMs);
      await extendSessions(
        pool,
        due.map((one) => one.hash),
        expiresAt,
      );
      for (const one of due) one.expiresAt = expiresAt.toISOString();
    }
    return byHash(found);
  });
}

function tokenLoader({ pool, clock, log }: Deps) {
  return batchLoader(async (hashes) => {
    const found = await loadTokens(pool, hashes);
    const now = clock.now();
    const staleBefore = new Date(now.getTime() - touchEveryMs).toISOString();
    const due = found.filter((one) => one.lastUsedAt === null || one.lastUsedAt <= staleBefore).map((one) => one.id);
    if (due.length > 0) {
      // Not awaited: nobody should wait for, or fail with, a note about the last use.
      touchTokens(pool, due, now).catch((error) => log.warn({ err: error }, 'last use of tokens was not noted'));
    }
    return byHash(found);
  });
}
