import { type Operations, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, ensure, pageOf } from '../platform/index.ts';
import type { AuthDeps } from './deps.ts';
import { endSessions } from './session.ts';
import { listSessions } from './sql.ts';

/** The session of the request itself (hash in hex); null for a developer token. */
const currentOf = ({ credential }: Call<Operations['auth.listSessions']>['caller']) =>
  credential.type === 'session' ? credential.tokenHash : null;

export async function listOwnSessions({ pool }: AuthDeps, call: Call<Operations['auth.listSessions']>) {
  const { caller, now } = call;
  const { pageSize, cursor } = call.query;
  const before = decodeCursor(cursor, z.guid());
  const found = await listSessions(pool, caller.ownerId, { now, before, limit: pageSize + 1 });
  const current = currentOf(caller);
  return pageOf(
    found,
    pageSize,
    ({ id }) => id,
    ({ id, hash, ...session }) => ({ ...session, id: toId('session', id), isCurrent: hash === current }),
  );
}

/** Another owner's session is treated like one that does not exist. */
export async function endSession({ tx, caller, params, now, correlationId }: Call<Operations['auth.endSession']>) {
  const id = toUuid('session', params.sessionId);
  ensure(id, 'SESSION_NOT_FOUND');
  const about = { ownerId: caller.ownerId, at: now, correlationId };
  ensure((await endSessions(tx, about, { only: id })) > 0, 'SESSION_NOT_FOUND');
}

export async function endOtherSessions(call: Call<Operations['auth.endOtherSessions']>) {
  const { tx, caller, now, correlationId } = call;
  const about = { ownerId: caller.ownerId, at: now, correlationId };
  await endSessions(tx, about, { except: currentOf(caller) });
}
