import { errorBody } from '@agora-market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import type { Hosts } from '../hosts/index.ts';
import { type Call, isStream, type Route, whenGone } from '../http/route.ts';
import { RuleReply } from '../http/rule-reply.ts';
import type { Logger } from '../log.ts';
import { type Pool, violates } from '../postgres/db.ts';
import { ask, type Peer, PeerAway, readAll, relay } from './ask.ts';
import { createSignatures, isBodyOf } from './signature.ts';

/** The other servers of the database. They are asked for what only they can reach: their sandboxes and files. */
export interface Peers {
  /**
   * Lets another server run the rule of a call; returns its reply or error, and passes a stream on. The caller is
   * resolved and counted here. A call that was passed on is not passed on again.
   */
  passOn(peer: Peer, call: Call): Promise<unknown>;
  /** Takes calls that others pass on. */
  mount(app: FastifyInstance, routes: Route[], refuse: Refuse): void;
}

/** Answers a stranger as if there were nothing here. */
export type Refuse = (request: FastifyRequest, reply: FastifyReply) => Promise<never>;

interface Deps {
  pool: Pool;
  clock: { now(): Date };
  hosts: Pick<Hosts, 'id' | 'endOf'>;
  log: Logger;
  /** Known to the servers of this database alone. */
  key: Buffer;
  /** The longest that a call takes, in ms. */
  longestMs: number;
}

const pathOf = (id: string) => `/peers/${id}`;
const callType = 'application/x-agora-call';
/** A body of the API, as text inside text. */
const maxCallBytes = 4 * 1024 ** 2;
/**
 * Names the kind of reply: a value, a value with its own status, or that another request has the key. Streams have
 * none.
 */
const kindHeader = 'x-agora-reply';
/** Of a refusal, whose fault it is: the platform's (`ours`), or it may be the caller's. */
const faultHeader = 'x-agora-fault';

type Passed = Pick<Call, 'caller' | 'params' | 'query' | 'body' | 'claim'>;

export function createPeers(deps: Deps): Peers {
  const { pool, clock, hosts, log } = deps;
  const signatures = createSignatures(deps.key);

  /** Where the caller has gone, it is no fault of ours that nobody knows what was done. */
  async function passOn(peer: Peer, call: Call): Promise<unknown> {
    try {
      return await send(peer, call);
    } catch (error) {
      const { aborted } = call.whenGone();
      throw aborted && error instanceof PeerAway ? new PeerAway({ cause: error.cause, isOurs: false }) : error;
    }
  }

  async function send(peer: Peer, call: Call): Promise<unknown> {
    const { caller, params, query, body, claim } = call;
    const path = pathOf(call.operation.id);
    const text = JSON.stringify({ caller, params, query, body, claim } satisfies Passed);
    const headers = {
      'content-type': callType,
      accept: call.raw.request.headers.accept ?? '*/*',
      'x-correlation-id': call.correlationId,
      ...signatures.sign({ path, body: text }, peer.id),
    };
    // The other server does for a caller who goes what it does for its own.
    const signal = AbortSignal.any([call.whenGone(), hosts.endOf(peer.id)]);
    const waiting = { longestMs: deps.longestMs, signal };
    const reply = await ask(peer, path, { headers, body: text }, waiting);
    const kind = reply.headers[kindHeader];
    if (kind === undefined && reply.statusCode === 200) return relay(reply, call.raw);
    const said = await readAll(reply);
    if (kind === 'value') return JSON.parse(said);
    if (kind === 'rule-reply') {
      const { status, body, headers } = JSON.parse(said) as RuleReply;
      return new RuleReply(status, body, headers);
    }
    if (kind === 'taken') throw Object.assign(new Error('the key is taken'), keyTaken);
    throw refusalOf(said, reply.headers[faultHeader], peer, log);
  }

  async function run(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const call = {
      ...(JSON.parse(request.rawBody ?? '') as Passed),
      operation: route.operation,
      tx: pool,
      now: clock.now(),
      correlationId: request.id,
      signed: undefined,
      whenGone: () => whenGone(reply),
      refusedNow: async () => null,
      passedOn: true,
      raw: reply,
    } as unknown as Call;
    try {
      const value = await route.run(call);
      // The rule has sent it itself.
      if (isStream(call.operation, request)) return reply;
      return reply
        .header(kindHeader, value instanceof RuleReply ? 'rule-reply' : 'value')
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify(value ?? null));
    } catch (error) {
      if (error instanceof ApiError) void reply.header(faultHeader, error.isOurs ? 'ours' : 'theirs');
      if (!violates(error, keyTaken.constraint)) throw error;
      return reply.header(kindHeader, 'taken').send('');
    }
  }

  return {
    passOn,
    mount(app, routes, refuse) {
      void app.register(async (scope) => {
        const options = { parseAs: 'string', bodyLimit: maxCallBytes } as const;
        scope.addContentTypeParser<string>(callType, options, (request, text, done) => {
          request.rawBody = text;
          done(null, undefined);
        });
        const refused = (objection: string, request: FastifyRequest, reply: FastifyReply) => {
          log.warn({ ip: request.ip, objection }, 'a call that another server is to have passed on was refused');
          return refuse(request, reply);
        };
        for (const route of routes) {
          const path = pathOf(route.operation.id);
          scope.post(path, {
            bodyLimit: maxCallBytes,
            // Before its body is read: strangers send what they like.
            async onRequest(request, reply) {
              const objection = signatures.objection(path, request.headers, hosts.id);
              if (objection !== null) await refused(objection, request, reply);
            },
            handler: (request, reply) =>
              isBodyOf(request.headers, request.rawBody ?? '')
                ? run(route, request, reply)
                : refused('its body is another', request, reply),
          });
        }
      });
    },
  };
}

/** As PostgreSQL says that the key of a request is taken. */
const keyTaken = { code: '23505', constraint: 'idempotency_keys_pkey' };

/** The other server's refusal as if it were ours. */
function refusalOf(said: string, fault: unknown, peer: Peer, log: Logger): ApiError {
  const { data } = errorBody.safeParse(parsed(said));
  if (data === undefined || data.error.code === 'ROUTE_NOT_FOUND') {
    log.warn({ host: peer.id, address: peer.address, said: said.slice(0, 500) }, 'another server refused a call');
    return new PeerAway({ mayHaveBegun: data === undefined });
  }
  const { code, message, details } = data.error;
  // A server of the release before says nothing of it.
  const isKnown = fault === 'ours' || fault === 'theirs';
  return new ApiError(code, message, details as Record<string, unknown>, isKnown ? { isOurs: fault === 'ours' } : {});
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
