import { Readable } from 'node:stream';
import { A2A_CONTENT_TYPE, A2A_VERSION_HEADER, AgentCard, SSE_HEADERS } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  A2A_ERROR_CODE,
  A2AError,
  RequestMalformedError,
  toJsonRpcError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { Agora, AgoraError } from '@agora-market/sdk';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, publicUrl } from '../platform/index.ts';
import { inProcessFetch, secretsIn } from '../programs/index.ts';
import { createHandler } from './handler.ts';
import { type A2aDeps, cardPath, legacyVersion, type Place } from './place.ts';
import { type RpcError, restErrorOf, rpcCallOf } from './rest.ts';

type Deps = A2aDeps & { app: FastifyInstance };

/** The address of a service that is called without a socket; it only has to be one. */
const baseUrl = 'http://in-process';

/** Signs of life in a stream, so that no proxy takes it for dead. */
const heartbeatMs = 15_000;

function versionOf({ headers, query }: FastifyRequest): string {
  const given = headers[A2A_VERSION_HEADER.toLowerCase()] ?? (query as Record<string, unknown>)[A2A_VERSION_HEADER];
  return String(given ?? '') || legacyVersion;
}

/** Answers one request at an address of A2A. */
export async function answer(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  place: Place,
  signal: AbortSignal,
): Promise<unknown> {
  const { method, query, body } = request;
  const { path } = place;
  if (method === 'GET' && path === cardPath) return card(deps, request, reply, place);
  const isRpc = method === 'POST' && path === '';
  const call = isRpc ? body : rpcCallOf({ method, path, query: query as Record<string, unknown>, body });
  if (call === null) {
    throw new ApiError('ROUTE_NOT_FOUND', `No endpoint ${method} ${request.url.split('?')[0]}.`);
  }
  const handler = await handlerFor(deps, request, place, signal);
  const transport = isRpc ? rpc : rest;
  const version = versionOf(request);
  if (!transport.versions.includes(version)) {
    const supported = transport.versions.join(' and ');
    return transport.refuse(
      reply,
      idOf(call),
      toJsonRpcError(
        new VersionNotSupportedError(
          `Version ${version} is not served here. Send ${A2A_VERSION_HEADER}: ${supported}.`,
        ),
      ),
    );
  }
  return respond(deps, transport, reply, isRpc ? call : { jsonrpc: '2.0', id: null, ...call }, handler, version);
}

const idOf = (call: unknown): unknown => (call as { id?: unknown } | null | undefined)?.id ?? null;

/** How a result or an error is sent, and which versions of the standard are. */
interface Transport {
  versions: readonly string[];
  type: string;
  body(id: unknown, result: unknown): unknown;
  refuse(reply: FastifyReply, id: unknown, error: RpcError): unknown;
}

const rpc: Transport = {
  versions: ['1.0', legacyVersion],
  type: 'application/json',
  body: (id, result) => ({ jsonrpc: '2.0', id, result }),
  refuse: (reply, id, error) => reply.code(200).send({ jsonrpc: '2.0', id, error }),
};

const rest: Transport = {
  versions: ['1.0'],
  type: A2A_CONTENT_TYPE,
  body: (_, result) => result ?? {},
  refuse(reply, _, error) {
    const { status, body } = restErrorOf(error);
    return reply.code(status).type(A2A_CONTENT_TYPE).send(JSON.stringify(body));
  },
};

interface RpcResponse {
  id: unknown;
  result?: unknown;
  error?: unknown;
}

async function respond(
  { clock }: Deps,
  transport: Transport,
  reply: FastifyReply,
  call: unknown,
  handler: A2ARequestHandler,
  version: string,
): Promise<unknown> {
  const id = idOf(call);
  if (!isCall(call)) {
    const message = 'The body must be { "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { … } }.';
    return transport.refuse(reply, id, { code: A2A_ERROR_CODE.INVALID_REQUEST, message });
  }
  const isLegacy = version === legacyVersion;
  const seen = observed(handler);
  const handling = isLegacy
    ? new LegacyJsonRpcTransportHandler(seen.handler)
    : new JsonRpcTransportHandler(seen.handler);
  const errorOf = (error: unknown): RpcError =>
    (isLegacy ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError : JsonRpcTransportHandler.mapToJSONRPCError)(
      error,
    );
  const context = new ServerCallContext({ requestedVersion: version });
  const given = (await handling.handle(call, context)) as RpcResponse | AsyncGenerator<RpcResponse>;
  if (!(Symbol.asyncIterator in given)) {
    if (given.error !== undefined) return transport.refuse(reply, given.id, seen.errorIn(given.error as RpcError));
    return reply.type(transport.type).send(JSON.stringify(transport.body(given.id, given.result)));
  }
  try {
    // A refusal before the first event is no stream yet.
    const first = await given.next();
    const sent = (response: RpcResponse) => JSON.stringify(transport.body(response.id, response.result));
    const refused = (error: unknown) =>
      JSON.stringify(
        transport === rpc ? { jsonrpc: '2.0', id, error: errorOf(error) } : restErrorOf(errorOf(error)).body,
      );
    const frames = framesOf(first, given, { clock, sent, refused });
    return reply.headers(SSE_HEADERS).header('cache-control', 'no-store, no-transform').send(Readable.from(frames));
  } catch (error) {
    return transport.refuse(reply, id, errorOf(error));
  }
}

/** What the library throws before it has called the handler is about the form of the parameters, and no fault of ours. */
function observed(handler: A2ARequestHandler) {
  let isCalled = false;
  const get = (target: A2ARequestHandler, name: keyof A2ARequestHandler) => {
    const method = target[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => {
      isCalled ||= name !== 'getAgentCard';
      return method(...args);
    };
  };
  const message = 'The parameters do not have the form that the method takes.';
  return {
    handler: new Proxy(handler, { get: (target, name) => get(target, name as keyof A2ARequestHandler) }),
    errorIn: (error: RpcError): RpcError =>
      isCalled || error.code !== A2A_ERROR_CODE.INTERNAL_ERROR
        ? error
        : toJsonRpcError(new RequestMalformedError({ message })),
  };
}

const isCall = (call: unknown): call is Record<string, unknown> =>
  typeof call === 'object' &&
  call !== null &&
  (call as { jsonrpc?: unknown }).jsonrpc === '2.0' &&
  typeof (call as { method?: unknown }).method === 'string';

interface Framing {
  clock: A2aDeps['clock'];
  sent(response: RpcResponse): string;
  refused(error: unknown): string;
}

async function* framesOf(
  first: IteratorResult<RpcResponse>,
  rest: AsyncGenerator<RpcResponse>,
  { clock, sent, refused }: Framing,
): AsyncGenerator<string> {
  try {
    for (let step = first; !step.done; ) {
      yield `data: ${sent(step.value)}\n\n`;
      const next = rest.next();
      let arrived: IteratorResult<RpcResponse> | null = null;
      while (arrived === null) {
        arrived = await orSilence(clock, next);
        if (arrived === null) yield ': still here\n\n';
      }
      step = arrived;
    }
  } catch (error) {
    yield `event: error\ndata: ${refused(error)}\n\n`;
  } finally {
    await rest.return(undefined);
  }
}

/** What comes next, or null once there was nothing for a while. */
function orSilence<T>(clock: A2aDeps['clock'], next: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(heartbeatMs, () => resolve(null));
    next.then(resolve, reject).finally(cancel);
  });
}

async function handlerFor(
  deps: Deps,
  request: FastifyRequest,
  { agentId }: Place,
  signal: AbortSignal,
): Promise<A2ARequestHandler> {
  const { ownerToken, agentKey } = await secretsIn(request.headers);
  // Who sends both acts for the owner.
  const secrets = ownerToken === undefined ? { ...(agentKey && { agentKey }) } : { ownerToken };
  // No network can fail here, and a client that reached a limit is told so at once instead of waiting for a minute.
  const agora = new Agora({ baseUrl, fetch: inProcessFetch(deps.app, request), maxRetries: 0, ...secrets });
  const options = { as: ownerToken === undefined ? ('agent' as const) : ('owner' as const), signal };
  const apiUrl = `${publicUrl(deps.config)}/api/v1`;
  const [version, correlationId] = [versionOf(request), request.id];
  return createHandler(deps, { agora, options, agentId, apiUrl, version, correlationId });
}

/** The signed card of 1.0, or what the official SDK makes of it for a client of 0.3. */
async function card({ app }: Deps, request: FastifyRequest, reply: FastifyReply, { agentId }: Place): Promise<unknown> {
  const agora = new Agora({ baseUrl, fetch: inProcessFetch(app, request), maxRetries: 0 });
  const asked = agentId === null ? agora.system.agentCard() : agora.agents.card(agentId);
  const signed = await asked.catch((error: unknown) => {
    const isNone = error instanceof AgoraError && error.code === 'AGENT_NOT_FOUND';
    throw isNone ? new ApiError('AGENT_NOT_FOUND', error.message) : error;
  });
  void reply.header('vary', A2A_VERSION_HEADER).type('application/json');
  if (versionOf(request) !== legacyVersion) return reply.send(JSON.stringify(signed));
  const handler = { getAuthenticatedExtendedAgentCard: async () => AgentCard.fromJSON(signed) };
  const translated = await new LegacyJsonRpcTransportHandler(handler as unknown as A2ARequestHandler).handle(
    { jsonrpc: '2.0', id: null, method: 'agent/getAuthenticatedExtendedCard' },
    new ServerCallContext(),
  );
  const { signatures: _, ...legacy } = (translated as { result: { signatures: unknown } }).result;
  // As the official SDK serves it: a client of 1.0 that names no version finds its interfaces here too.
  return reply.send(JSON.stringify({ ...legacy, supportedInterfaces: signed.supportedInterfaces }));
}

/** The body of a refusal before there was a call. */
export function bodyOfRefusal(refusal: ApiError, { path }: Place): object {
  const metadata = { code: refusal.code, status: `${refusal.status}` };
  const message = `${refusal.code}: ${refusal.message}`;
  const isWrong = refusal.status < 500;
  const error = toJsonRpcError(
    isWrong ? new RequestMalformedError({ message, metadata }) : new A2AError({ message, metadata }),
  );
  if (path !== '') return restErrorOf(error).body;
  const code = refusal.status === 400 ? A2A_ERROR_CODE.PARSE_ERROR : error.code;
  return { jsonrpc: '2.0', id: null, error: { ...error, code } };
}
