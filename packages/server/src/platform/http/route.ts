import type { IncomingHttpHeaders } from 'node:http';
import {
  type BodyOf,
  isStreamed,
  type Operation,
  type OperationId,
  type Operations,
  operations,
  type ParamsOf,
  type QueryOf,
} from '@agora-market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../api-error.ts';
import type { Tx } from '../postgres/db.ts';
import type { Claim } from '../steps/idempotency-claims.ts';
import type { Result } from './rule-reply.ts';

/** The caller. Ids are UUIDs, as stored. */
export type Caller =
  | { kind: 'anonymous' }
  | { kind: 'owner'; ownerId: string; plan: Plan; credential: OwnerCredential }
  /** Without the hash of its key where it did not call itself. */
  | { kind: 'agent'; agentId: string; ownerId: string; keyHash?: string }
  | { kind: 'trust'; keyId: string; ownerId: string; plan: Plan }
  | { kind: 'operator' };

export type Plan = 'free' | 'pro' | 'enterprise';
export type OwnerCredential = { type: 'session'; tokenHash: string; expiresAt: string } | { type: 'token'; id: string };
export type OwnerCaller = Extract<Caller, { kind: 'owner' }>;
export type AgentCaller = Extract<Caller, { kind: 'agent' }>;
export type TrustCaller = Extract<Caller, { kind: 'trust' }>;
export type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

type CallerOf<A extends Operation['auth']> = A extends 'owner'
  ? OwnerCaller
  : A extends 'agent'
    ? AgentCaller
    : A extends 'party'
      ? OwnerCaller | AgentCaller
      : A extends 'trust'
        ? TrustCaller
        : A extends 'operator'
          ? OperatorCaller
          : Caller;

/** Input of a rule: everything parsed, the caller known, and the transaction open if the operation has one. */
export interface Call<O extends Operation = Operation> {
  operation: O;
  caller: CallerOf<O['auth']>;
  params: ParamsOf<O>;
  query: QueryOf<O>;
  body: BodyOf<O>;
  /** Set for `write` and `ledger` operations. */
  tx: Tx;
  /** The clock's time when the request arrived. */
  now: Date;
  correlationId: string;
  /** The Idempotency-Key's claim; a step hands it to the writer, so that the key is stored together with the change. */
  claim: Claim | undefined;
  /** Of operations with a raw body: it and the headers that sign it. */
  signed: { rawBody: string; headers: IncomingHttpHeaders } | undefined;
  /** Reads the body of an operation that takes bytes. */
  bytes(): Promise<Buffer>;
  /** A signal that aborts when the client goes away before it has its answer; made only for those who ask. */
  whenGone(): AbortSignal;
  /** For long calls: why the credential would be refused now. It may have been revoked since the call began. */
  refusedNow(): Promise<ApiError | null>;
  /** Another server received the call and passed it on, because this server has the sandbox or the file. */
  passedOn: boolean;
  /** For streams only. */
  raw: FastifyReply;
}

/** Whether the caller wants the reply in parts while it is made, if the operation offers that. */
export const asksForEvents = (request: FastifyRequest): boolean =>
  request.headers.accept?.split(',').some((type) => type.split(';')[0]?.trim() === 'text/event-stream') ?? false;

/** Whether the rule itself sends the reply. */
export const isStream = (operation: Operation, request: FastifyRequest): boolean =>
  isStreamed(operation) || (operation.reply.alsoEvents === true && asksForEvents(request));

export interface Route {
  operation: Operation;
  run(call: Call): Promise<unknown>;
  /** Rebuilds the reply of a step that was committed just before a crash took the reply away. */
  recover: ((call: Call, subject: string) => Promise<unknown>) | undefined;
}

/** Binds an operation of the contract to its rule; types of both sides must agree. */
export const route = <Id extends OperationId>(id: Id, run: Rule<Operations[Id]>, recover?: Recover<Operations[Id]>) =>
  routeOf(operations[id], run, recover);

type Rule<O extends Operation> = (call: Call<O>) => Promise<Result<O>>;
type Recover<O extends Operation> = (call: Call<O>, subject: string) => Promise<Result<O>>;

/** Binds a row to its rule, for rows that the contract does not have. */
export const routeOf = <const O extends Operation>(operation: O, run: Rule<O>, recover?: Recover<O>): Route =>
  ({ operation, run, recover }) as unknown as Route;

/** A signal for every request, most of them unused, took a tenth of the server's time. */
export function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  // The response's own end; the request's comes as soon as its body has been read.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
