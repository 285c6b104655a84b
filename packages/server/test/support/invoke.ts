import { createHmac, randomUUID } from 'node:crypto';
import {
  type BodyInputOf,
  type Operation,
  type OperationId,
  type Operations,
  operations,
  type ReplyOf,
  successReplies,
} from '@agora-market/contract';
import { pino } from 'pino';
import {
  type Call,
  type Caller,
  type Clock,
  newUuid,
  type OwnerCaller,
  type Pool,
  type Route,
  RuleReply,
  transaction,
} from '../../src/platform/index.ts';

export interface Input<Id extends OperationId> {
  caller?: Caller;
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: BodyInputOf<Operations[Id]>;
  claim?: Call['claim'];
}

export type Invoke = <Id extends OperationId>(id: Id, input?: Input<Id>) => Promise<ReplyOf<Operations[Id]>>;

export const silentLog = pino({ level: 'silent' });

/**
 * Runs rules as the HTTP layer does, without HTTP: the input passes the operation's schemas, a transaction is open
 * where the operation has one, and a reply that does not fit its schema fails the test.
 */
export function createInvoke(deps: { pool: Pool; clock: Clock }, routes: Route[]): Invoke {
  return (async (id: OperationId, input: Input<OperationId> = {}) => {
    const operation: Operation = operations[id];
    const route = routes.find((candidate) => candidate.operation.id === id);
    if (!route) throw new Error(`no route for ${id}`);
    const call = {
      operation,
      caller: input.caller ?? { kind: 'anonymous' },
      params: operation.params?.parse(input.params ?? {}),
      query: operation.query?.parse(input.query ?? {}),
      body: operation.body?.parse(input.body ?? {}),
      tx: deps.pool,
      now: deps.clock.now(),
      correlationId: randomUUID(),
      claim: input.claim,
      log: silentLog,
      raw: { request: { ip: '127.0.0.1', headers: {} } },
      whenGone: () => new AbortController().signal,
    } as unknown as Call;
    const { tx } = operation;
    const reply =
      tx === 'write' || tx === 'ledger'
        ? await transaction(deps.pool, tx, (open) => route.run({ ...call, tx: open }))
        : await route.run(call);
    const { status, body } = reply instanceof RuleReply ? reply : { status: operation.reply.status, body: reply };
    const { schema } = successReplies(operation).find((each) => each.status === status) ?? {};
    return schema ? schema.parse(JSON.parse(JSON.stringify(body))) : undefined;
  }) as Invoke;
}

/** The code of the error a promise ends with; `none` where it succeeds. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error) => error.code ?? String(error),
  );

/** An owner put straight into the database, without the time a password hash takes. */
export async function insertOwner(
  { pool, clock }: { pool: Pool; clock: Clock },
  plan: OwnerCaller['plan'] = 'free',
): Promise<OwnerCaller> {
  const ownerId = newUuid(clock);
  await pool.query(
    `insert into owners (id, name, email, password_hash, plan, created_at) values ($1, 'Ada', $2, '', $3, $4)`,
    [ownerId, `${ownerId}@example.com`, plan, clock.now()],
  );
  await pool.query(
    `insert into developer_tokens (id, owner_id, name, token_hash, token_prefix, created_at)
     values ($1, $1, 'of a test', sha256(convert_to($2, 'UTF8')), '', $3)`,
    [ownerId, ownerId, clock.now()],
  );
  return { kind: 'owner', ownerId, plan, credential: { type: 'token', id: ownerId } };
}

/** Names cards and bank accounts in tests. */
export const digest = (...parts: string[]): Buffer => createHmac('sha256', 'tests').update(parts.join('\0')).digest();
