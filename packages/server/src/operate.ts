import { type Operations, operations, type ReplyOf } from '@agora-market/contract';
import type { z } from 'zod';
import { changeOwner } from './auth/index.ts';
import { appendEvent } from './events/index.ts';
import { readStuck, retryJobs, searchOwners } from './overview/index.ts';
import {
  type Config,
  createLog,
  createPool,
  newUuid,
  type Pool,
  rotateSigningKey,
  schemaFunctions,
  schemaOfFunctions,
  systemClock,
  transaction,
} from './platform/index.ts';
import { type Recomputed, type RecomputeOptions, recomputeReputations } from './registry/index.ts';
import { type Rotated, rotateEncryptionKey } from './rotate-secret.ts';
import {
  clearFlag,
  configuredProcessor,
  decideHeldPayment,
  listHeldPayments,
  listOpenFindings,
  reconcile,
  refundTopUp,
  revenue,
} from './vault/index.ts';

/** Operations of the operator on the database itself, with or without a running server. */
async function onDatabase<R>(databaseUrl: string, work: (pool: Pool) => Promise<R>): Promise<R> {
  const pool = createPool(databaseUrl, () => {}, { max: 2, functions: schemaOfFunctions(schemaFunctions) });
  try {
    return await work(pool).catch((error: Error & { code?: string }) => {
      if (error.code !== '42P01' && error.code !== '42883') throw error;
      throw new Error('The database is empty, or has not what this release needs. Run "agora migrate" first.');
    });
  } finally {
    await pool.end();
  }
}

/** Reconciles now; `open` are the findings that nobody has cleared, at most a hundred. */
export const reconcileDatabase = (databaseUrl: string, config: Config) =>
  onDatabase(databaseUrl, async (pool) => {
    const log = createLog(config.LOG_LEVEL === 'silent' ? 'silent' : 'warn');
    const processor = await configuredProcessor(config, systemClock);
    const run = await reconcile({ pool, clock: systemClock, log, processor });
    if (!run) throw new Error('Another reconciliation is already running. Wait until it ends.');
    return { run, open: await listOpenFindings(pool, 100) };
  });

export const clearWalletFlag = (databaseUrl: string, asked: { agentId: string; reason: string; by: string }) =>
  onDatabase(databaseUrl, (pool) =>
    transaction(pool, 'write', (tx) =>
      clearFlag(tx, { ...asked, at: systemClock.now(), correlationId: newUuid(systemClock) }),
    ),
  );

/** A new key signs receipts and attestations from now on; those before it stay published. Gives the ids of both. */
export const rotateKeyInDatabase = (databaseUrl: string, config: Config, asked: { reason: string; by: string }) =>
  onDatabase(databaseUrl, (pool) =>
    transaction(pool, 'write', async (tx) => {
      const at = systemClock.now();
      const keys = await rotateSigningKey(tx, config, at);
      const correlationId = newUuid(systemClock);
      const data = { ...keys, ...asked };
      await appendEvent(tx, { type: 'signing_key.rotated', district: 'trust', at, correlationId, data });
      return keys;
    }),
  );

/** Encrypts with another AGORA_ENCRYPTION_KEY what the database keeps encrypted, while no server runs. */
export const rotateSecretInDatabase = (
  databaseUrl: string,
  config: Config,
  asked: { newKey: string; reason: string; by: string },
): Promise<Rotated> => onDatabase(databaseUrl, (pool) => rotateEncryptionKey(pool, config, asked));

/** Changes an owner, named by id or e-mail address; takes the body of `PATCH /owners/:ownerId`. */
export function updateOwnerInDatabase(
  databaseUrl: string,
  asked: {
    owner: string;
    plan?: string;
    status?: string;
    emailVerified?: true;
    totp?: string;
    reason: string;
    by: string;
  },
): Promise<ReplyOf<Operations['auth.updateOwner']>> {
  const { owner, ...body } = asked;
  const change = parsed(operations['auth.updateOwner'].body, body);
  return onDatabase(databaseUrl, (pool) =>
    transaction(pool, 'write', (tx) =>
      changeOwner(tx, { ...change, owner, at: systemClock.now(), correlationId: newUuid(systemClock) }),
    ),
  );
}

/** Gives money of a top-up back to its card; takes the body of `POST /vault/top-ups/:topUpId/refund`. */
export async function refundInDatabase(
  databaseUrl: string,
  config: Config,
  asked: { topUpId: string; amount?: number; reason: string; by: string },
): Promise<ReplyOf<Operations['vault.refundTopUp']>> {
  const { topUpId, ...body } = asked;
  const { amount, reason, by } = parsed(operations['vault.refundTopUp'].body, body);
  const processor = await configuredProcessor(config, systemClock);
  if (processor?.name === 'test') {
    throw new Error('Only the running server knows what its test processor charged. Send the refund to that server.');
  }
  const log = createLog(config.LOG_LEVEL === 'silent' ? 'silent' : 'warn');
  return onDatabase(databaseUrl, (pool) =>
    refundTopUp({ pool, clock: systemClock, log, processor }, { topUpId, amount, reason, by }),
  );
}

/** Payments that wait for the operator, the longest waiting first, at most so many. */
export const listHeldInDatabase = (databaseUrl: string, limit: number) =>
  onDatabase(databaseUrl, (pool) => listHeldPayments(pool, limit));

/** Releases or refuses a held payment; takes the body of `POST /vault/held-payments/:heldPaymentId/release`. */
export const decideHeldInDatabase = (
  databaseUrl: string,
  { verb, heldPaymentId, ...body }: { verb: 'release' | 'refuse'; heldPaymentId: string; reason: string; by: string },
) => {
  const { reason, by } = parsed(operations['vault.releaseHeldPayment'].body, body);
  const decision = { heldPaymentId, reason, by, at: systemClock.now(), correlationId: newUuid(systemClock) };
  return onDatabase(databaseUrl, (pool) =>
    transaction(pool, 'ledger', (tx) => decideHeldPayment(tx, verb === 'release' ? 'released' : 'refused', decision)),
  );
};

/** Revenue of the platform; takes the query of `GET /vault/revenue`. */
export function readRevenue(
  databaseUrl: string,
  asked: Record<string, string | undefined>,
): Promise<ReplyOf<Operations['vault.revenue']>> {
  const query = parsed(operations['vault.revenue'].query, asked);
  return onDatabase(databaseUrl, (pool) => revenue(pool, query, systemClock.now()));
}

/** Owners by an id or a part of their addresses and names; takes the query of `GET /operator/owners`. */
export function searchOwnersInDatabase(
  databaseUrl: string,
  asked: Record<string, unknown>,
): Promise<ReplyOf<Operations['operator.owners']>> {
  const query = parsed(operations['operator.owners'].query, asked);
  return onDatabase(databaseUrl, (pool) => searchOwners(pool, query));
}

/** Lets jobs run again that were given up; takes the body of `POST /operator/jobs/retry`. */
export function retryJobsInDatabase(
  databaseUrl: string,
  asked: { kind: string; reason: string; by: string },
): Promise<ReplyOf<Operations['operator.retryJobs']>> {
  const body = parsed(operations['operator.retryJobs'].body, asked);
  return onDatabase(databaseUrl, (pool) =>
    transaction(pool, 'write', (tx) =>
      retryJobs(tx, { ...body, at: systemClock.now(), correlationId: newUuid(systemClock) }),
    ),
  );
}

/** Work that does not go on, and so many of each kind. What timed jobs are late a server alone knows. */
export const readStuckInDatabase = (
  databaseUrl: string,
  pageSize: number,
): Promise<ReplyOf<Operations['operator.stuck']>> =>
  onDatabase(databaseUrl, (pool) => readStuck({ pool }, systemClock.now(), pageSize));

/**
 * Computes every reputation anew from the event log and compares it with what is stored; with `write` it replaces what
 * differs. `progress` gets the number of the event that was read last, and of the last to be read.
 */
export const recomputeInDatabase = (databaseUrl: string, options: RecomputeOptions): Promise<Recomputed> =>
  onDatabase(databaseUrl, (pool) => recomputeReputations(pool, options));

/** The valid input of an operation, or an error that names what to change. */
function parsed<S extends z.ZodType>(schema: S, asked: unknown): z.output<S> {
  const { data, error } = schema.safeParse(asked);
  if (error === undefined) return data as z.output<S>;
  const issue = error.issues[0];
  const path = issue?.path.join('.');
  throw new Error(path ? `${path}: ${issue?.message}` : issue?.message);
}
