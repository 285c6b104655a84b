import { type Operation, toUuid } from '@agora-market/contract';
import { type Pool, type Tx, transaction, violates } from '../postgres/db.ts';
import type { Encryption } from './encryption.ts';
import { awaitReply, awaitTurn, claimKey, lookUp, stillRunning, storeReply, whileClaimed } from './idempotency.ts';
import { type IdempotentRequest, refusalOf, type StoredReply } from './idempotent-request.ts';
import type { AgentCaller, Call, OwnerCaller, Route } from './route.ts';
import { RuleReply } from './rule-reply.ts';
import type { Serialize } from './serialize.ts';

const twinTimeoutMs = 30_000;

/** Refuses a change for an account that was deleted, or by a credential that was ended, which neither is before the transaction ends. */
export type RequireCaller = (tx: Tx, caller: OwnerCaller | AgentCaller) => Promise<void>;

export interface Executor {
  pool: Pool;
  requireCaller: RequireCaller;
  serialize: Serialize;
  encryption: Encryption;
  /** Keyed requests that run in this process, by claim. */
  running: Map<string, { requestHash: string; reply: Promise<StoredReply> }>;
}

/** `replayed`: an earlier request with the same key did the work. */
type Answer = StoredReply & { replayed: boolean };

const isLedger = (operation: Operation) => (operation.tx === 'ledger' ? 'ledger' : 'write');

/** Runs the rule in the way its operation's transaction mode says. */
async function runPlain(executor: Executor, route: Route, call: Call): Promise<StoredReply> {
  const { operation } = call;
  const value =
    operation.tx === 'write' || operation.tx === 'ledger'
      ? await transaction(executor.pool, isLedger(operation), (tx) => change(executor, route, { ...call, tx }))
      : await route.run(call);
  return replyOf(executor, operation, value);
}

/** The caller was looked up before the transaction, so its account or credential may be gone by now. */
async function change({ requireCaller }: Executor, route: Route, call: Call): Promise<unknown> {
  const { caller, tx } = call;
  if (caller.kind === 'owner' || caller.kind === 'agent') await requireCaller(tx, caller);
  return route.run(call);
}

function replyOf({ serialize }: Executor, operation: Operation, value: unknown): StoredReply {
  if (!(value instanceof RuleReply)) {
    const { status } = operation.reply;
    return { status, body: serialize(operation, status, value) };
  }
  const { status, body, headers } = value;
  return { status, body: serialize(operation, status, body), headers };
}

/** Runs a request with an Idempotency-Key once, and gives every retry the same reply. */
async function runKeyed(executor: Executor, route: Route, call: Call, keyed: IdempotentRequest): Promise<Answer> {
  const known = await lookUp(executor.pool, keyed);
  if (known && 'reply' in known) return { replayed: true, ...known.reply };
  return { replayed: false, ...(await runFirst(executor, route, call, keyed, known !== null)) };
}

async function runFirst(
  executor: Executor,
  route: Route,
  call: Call,
  keyed: IdempotentRequest,
  isClaimed: boolean,
): Promise<StoredReply> {
  const { tx } = call.operation;
  if (tx === 'step') {
    const reply = isClaimed ? null : await runStep(executor, route, { ...call, claim: keyed.claim }, keyed);
    return reply ?? recoverStep(executor, route, call, keyed);
  }
  try {
    return tx === 'external'
      ? await runExternal(executor, route, call, keyed)
      : await runTransaction(executor, route, call, keyed);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return storeReply(executor.pool, keyed, refusal);
  }
}

async function runTransaction(
  executor: Executor,
  route: Route,
  call: Call,
  keyed: IdempotentRequest,
): Promise<StoredReply> {
  return transaction(executor.pool, isLedger(call.operation), async (tx) => {
    if (!(await claimKey(tx, keyed))) {
      const known = await lookUp(tx, keyed);
      if (!known || !('reply' in known)) throw stillRunning();
      return known.reply;
    }
    const reply = replyOf(executor, call.operation, await change(executor, route, { ...call, tx }));
    await storeReply(tx, keyed, reply);
    return reply;
  });
}

/**
 * The claim is written together with the step's change, and only there. A refused step leaves no claim, but its refusal
 * is kept. Null if another process made the change meanwhile: then its reply is the answer.
 */
async function runStep(
  executor: Executor,
  route: Route,
  call: Call,
  keyed: IdempotentRequest,
): Promise<StoredReply | null> {
  try {
    const reply = replyOf(executor, call.operation, await route.run(call));
    return await storeReply(executor.pool, keyed, reply);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal) return (await claimKey(executor.pool, keyed, refusal)) ? refusal : null;
    if (violates(error, 'idempotency_keys_pkey')) return null;
    throw error;
  }
}

/** The step is committed. Its process stores the reply, or has died before it could. */
async function recoverStep(
  executor: Executor,
  route: Route,
  call: Call,
  keyed: IdempotentRequest,
): Promise<StoredReply> {
  const known = await awaitReply(executor.pool, keyed);
  if (known && 'reply' in known) return known.reply;
  if (!known?.subject || !route.recover) throw stillRunning();
  const reply = replyOf(executor, call.operation, await route.recover(call, known.subject));
  return storeReply(executor.pool, keyed, reply);
}

async function runExternal(
  executor: Executor,
  route: Route,
  call: Call,
  keyed: IdempotentRequest,
): Promise<StoredReply> {
  const taskId = (call.params as { taskId?: string } | undefined)?.taskId;
  const about = taskId === undefined ? null : toUuid('task', taskId);
  const turn = await awaitTurn(executor.pool, keyed, about, twinTimeoutMs);
  if ('reply' in turn) return turn.reply;
  const claim = { subject: turn.subject, ...keyed.claim };
  const value = await whileClaimed(executor.pool, keyed, () => route.run({ ...call, claim }));
  return storeReply(executor.pool, keyed, replyOf(executor, call.operation, value));
}

/** Runs a request; a concurrent twin of a keyed one waits for the first and gets its reply. */
export async function execute(
  executor: Executor,
  route: Route,
  call: Call,
  keyed: IdempotentRequest | null,
): Promise<Answer> {
  if (!keyed) return { replayed: false, ...(await runPlain(executor, route, call)) };
  const twin = executor.running.get(keyed.claim.id);
  if (twin) {
    const reply = await twin.reply.catch(() => null);
    // Passed on directly, because a reply that is too large is stored nowhere.
    if (reply && twin.requestHash === keyed.claim.requestHash) return { replayed: true, ...reply };
    // The look-up refuses another body under the same key.
    const known = await lookUp(executor.pool, keyed);
    if (known && 'reply' in known) return { replayed: true, ...known.reply };
    return execute(executor, route, call, keyed);
  }
  const reply = runKeyed(executor, route, call, keyed);
  executor.running.set(keyed.claim.id, { requestHash: keyed.claim.requestHash, reply });
  try {
    return await reply;
  } finally {
    executor.running.delete(keyed.claim.id);
  }
}
