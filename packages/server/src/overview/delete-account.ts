import { type Operations, toId } from '@agora-market/contract';
import { z } from 'zod';
import {
  type AuthDeps,
  confirmPassword,
  decoyHash,
  deletedLetter,
  eraseOwner,
  type KnownOwner,
  lockForDeletion,
  type SignInDeps,
  sessionEnded,
} from '../auth/index.ts';
import { eraseRegistries } from '../dependencies/index.ts';
import { eraseOversight, forgetRequests } from '../embassy/index.ts';
import { appendEvent, forgetNames } from '../events/index.ts';
import { eraseBids } from '../exchange/index.ts';
import { eraseForges } from '../forges/index.ts';
import { enqueue, handler, type JobHandler, type JobKind } from '../jobs/index.ts';
import { type Call, ensure, publicUrl, type Tx, transaction, untilEmpty } from '../platform/index.ts';
import { forgetAgents, stopAgents } from '../registry/index.ts';
import { eraseSchedules } from '../schedules/index.ts';
import { eraseBundles, eraseViews, renewTexts } from '../tasks/index.ts';
import { eraseKeys } from '../trust/index.ts';
import { erasePayments } from '../vault/index.ts';
import { endWebhooks, forgetWebhooks } from '../webhooks/index.ts';
import { findObstacles } from './obstacles.ts';

type Delete = Call<Operations['auth.deleteAccount']>;

const erasure = z.object({ ownerId: z.string() });

/** What there may be much of goes after the commit, so that nobody waits behind the ledger lock. Tried for weeks. */
const kind: JobKind<z.infer<typeof erasure>> = {
  name: 'overview.eraseAccount',
  payload: erasure,
  attempts: 500,
  atOnce: 1,
  timeoutMs: 600_000,
  pauseMs: { first: 10_000, longest: 3_600_000 },
};

/**
 * Deletes the calling account, which must have neither work nor money. From the commit on no credential of it or its
 * agents counts. The transaction has the ledger lock, as submissions do, so that work and deletion cannot both be taken.
 * The owner's id stays in the ledger and in others' tasks, as a pseudonym.
 */
export async function deleteAccount(deps: SignInDeps, call: Delete) {
  const { caller, body, now: at, correlationId } = call;
  const byToken = 'A developer token cannot delete the account. Sign in with the password.';
  ensure(caller.credential.type === 'session', 'WRONG_STATE', byToken);
  const { owner, succeeded } = await confirmPassword(deps, call, body.password);
  const decoy = await decoyHash();
  await transaction(deps.pool, 'ledger', async (tx) => {
    await lockForDeletion(tx, owner);
    await deps.secondFactor.pass(tx, { ownerId: owner.id, code: body.code, at, correlationId });
    const obstacles = await findObstacles(tx, owner.id, at);
    ensure(obstacles.length === 0, 'ACCOUNT_NOT_EMPTY', undefined, { obstacles });
    await erase(deps, tx, owner, call, decoy);
  });
  await succeeded();
  return sessionEnded(deps, call);
}

async function erase(
  deps: AuthDeps,
  tx: Tx,
  owner: KnownOwner,
  { now: at, correlationId }: Pick<Delete, 'now' | 'correlationId'>,
  decoy: string,
): Promise<void> {
  const ownerId = owner.id;
  await deps.mail.queue(tx, deletedLetter(owner, publicUrl(deps.config)));
  await eraseOversight(tx, ownerId, at);
  await eraseBids(tx, ownerId);
  await eraseForges(tx, ownerId);
  await eraseRegistries(tx, ownerId);
  await eraseBundles(tx, ownerId);
  await eraseViews(tx, ownerId);
  await eraseSchedules(tx, ownerId);
  await eraseKeys(tx, ownerId);
  await endWebhooks(tx, ownerId);
  await erasePayments(deps, tx, ownerId, at);
  await stopAgents(tx, ownerId, at);
  await eraseOwner(deps, tx, owner, decoy);
  await appendEvent(tx, {
    type: 'owner.deleted',
    district: 'auth',
    at,
    correlationId,
    ownerId,
    data: { ownerId: toId('owner', ownerId) },
  });
  await enqueue(tx, deps.clock, kind, { key: ownerId, payload: { ownerId }, at });
}

/** Erases in small pieces what is left; a run that was interrupted goes on where there is still something. */
async function eraseRest({ pool }: AuthDeps, ownerId: string, signal: AbortSignal): Promise<void> {
  // An account that a server of the release before has deleted still has these.
  await transaction(pool, 'write', (tx) => eraseSchedules(tx, ownerId));
  await untilEmpty(100, (limit) => forgetAgents(pool, ownerId, limit));
  await untilEmpty(10, (limit) => forgetWebhooks(pool, ownerId, limit));
  await untilEmpty(500, (limit) => forgetRequests(pool, ownerId, limit));
  // Tasks of others were found by the names that its agents had.
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null; ) {
    signal.throwIfAborted();
    after = await renewTexts(pool, ownerId, after, 50);
  }
  for (let after: number | null = 0; after !== null; ) {
    signal.throwIfAborted();
    after = await forgetNames(pool, ownerId, after, 500);
  }
}

export const deletionQueue = (deps: AuthDeps): JobHandler[] => [
  handler(kind, ({ ownerId }, signal) => eraseRest(deps, ownerId, signal)),
];
