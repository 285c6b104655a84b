import { randomUUID } from 'node:crypto';
import {
  type CountedArea,
  fullPath,
  isConditional,
  isStreamed,
  maxBodyBytes,
  type Operation,
  takesKey,
  toUuid,
  underTheFloor,
} from '@agora-market/contract';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { ApiError } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Disk } from '../files/disk.ts';
import type { Faults } from '../hosts/index.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Pool } from '../postgres/db.ts';
import type { Tracing } from '../tracing/index.ts';
import { acceptBytes, readBytes } from './accept-bytes.ts';
import { acceptJson } from './accept-json.ts';
import { requestsAtOnce } from './at-once.ts';
import { clientErrorAnswer } from './client-error.ts';
import { compressed } from './compress.ts';
import { isKnown, noStore } from './conditional.ts';
import { connectionTimes, dropUnusedConnections } from './connections.ts';
import { createCredentialGate } from './credential-gate.ts';
import { encryption } from './encryption.ts';
import { errorReply, inLightOf, toApiError } from './error-reply.ts';
import { type Executor, execute, type RequireCaller } from './execute.ts';
import { idempotentRequest } from './idempotent-request.ts';
import { parseRequest } from './parse.ts';
import { countRequest, isUsedUp, type LimitHeaders, limitsFor, type RateLimitStore } from './rate-limit.ts';
import { type Call, type Caller, isStream, type Route, whenGone } from './route.ts';
import type { Place } from './scan.ts';
import { replySerializer } from './serialize.ts';
import { type Sent, sessionCookie } from './session-cookie.ts';
import { announceEnd, endingAreaOf, refusalOfEnded, type Uses } from './sunset.ts';
import { trustedProxies } from './trusted-proxies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    arrivedAt: Date;
    rawBody: string | undefined;
    /** The first of the body that JSON.parse has changed. */
    changedNumber: Place | null | undefined;
  }
}

/** Tells the HTTP layer whose credentials a request has; the districts provide it. */
export type Authenticate = (request: Sent, operation: Pick<Operation, 'auth' | 'id' | 'path'>) => Promise<Caller>;

export interface HttpDeps {
  config: Config;
  clock: Clock;
  pool: Pool;
  disk: Disk;
  log: Logger;
  limitStore: RateLimitStore;
  metrics: Pick<Metrics, 'answered'>;
  /** Is told whom the platform failed. */
  faults?: Pick<Faults, 'note'>;
  authenticate: Authenticate;
  tracing?: Tracing | null;
  /** Is told what callers use that ends. */
  uses: Uses;
  requireCaller: RequireCaller;
  /** Checks every reply against its schema as well; for tests. */
  checkReplies?: boolean;
  /** A request must have arrived after this time; 30 s unless a test cannot wait. */
  requestMs?: number;
}

const saneCorrelationId = /^[\w.:-]{1,100}$/;

/** The bare server: error shape on every path, correlation ids, rate-limit headers, JSON bodies. */
export function createHttpServer(deps: HttpDeps): FastifyInstance {
  const countPublic = publicCounter(deps);
  const refuseUnknown = notFound(deps);
  const app: FastifyInstance = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for every request took 7 µs of each, and next to none logs anything.
    childLoggerFactory: (log) => log,
    bodyLimit: maxBodyBytes,
    trustProxy: trustedProxies(deps.config.TRUST_PROXY),
    ...connectionTimes(deps.requestMs, deps.config.SANDBOX_MAX_EXEC_MS),
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    // Open event streams and long polls must not hold up a stop; finished requests close their connections.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: (raw) => {
      const given = raw.headers['x-correlation-id'];
      return typeof given === 'string' && saneCorrelationId.test(given) ? given : randomUUID();
    },
    clientErrorHandler: clientErrorAnswer(countPublic),
    frameworkErrors: (error, request, reply) => {
      const answer = (failure: unknown) => errorReply(failure, request, reply as unknown as FastifyReply, deps.log);
      void reply.header('x-correlation-id', request.id);
      const ended = refusalOfArea(deps.config, request, reply as unknown as FastifyReply, deps.clock.now());
      void countPublic(request, reply).then(() => answer(ended ?? error), answer);
    },
  });
  app.decorateRequest('caller');
  app.decorateRequest('arrivedAt');
  app.decorateRequest('rawBody');
  app.decorateRequest('changedNumber');
  acceptJson(app);
  dropUnusedConnections(app);
  // Expectations that nobody knows may be passed over (RFC 9110, 10.1.1); Node would answer them itself, without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  deps.tracing?.watch(app);
  app.addHook('onRequest', async (request, reply) => {
    request.arrivedAt = deps.clock.now();
    request.caller = { kind: 'anonymous' };
    reply.header('x-correlation-id', request.id);
    // JSON needs no more protection; pages set the other security headers, and what caches may keep says so itself.
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', noStore);
    const { headers, httpVersion } = request.raw;
    if (headers.host === undefined && httpVersion === '1.1') {
      await countPublic(request, reply);
      throw new ApiError('VALIDATION_ERROR', 'An HTTP/1.1 request needs a Host header.');
    }
    // Before its body is read, which nobody has a use for.
    if (request.is404) await refuseUnknown(request, reply);
  });
  app.addHook('onClose', async () => deps.limitStore.close?.());
  app.addHook('onResponse', (request, reply, done) => {
    const { operation = null } = request.routeOptions.config as { operation?: string };
    deps.metrics.answered(operation, reply.statusCode, reply.elapsedTime);
    done();
  });
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = toApiError(await inLightOf(deps.disk, error));
    const { caller, params } = request;
    if (refusal.isOurs && caller.kind === 'agent') {
      const { taskId } = (params ?? {}) as { taskId?: string };
      deps.faults?.note({ agentId: caller.agentId, taskId: taskId === undefined ? null : toUuid('task', taskId) });
    }
    errorReply(refusal, request, reply, deps.log);
    return reply;
  });
  // Still called for files that are not there.
  app.setNotFoundHandler(refuseUnknown);
  return app;
}

/** Announces the end of the area of a path, if it has one; gives the refusal where the area has ended. */
function refusalOfArea(
  config: Config,
  { raw }: Pick<FastifyRequest, 'raw'>,
  reply: FastifyReply,
  now: Date,
): ApiError | null {
  const area = endingAreaOf(raw);
  if (!area) return null;
  announceEnd(area, config, undefined, reply);
  return refusalOfEnded(area, config, now);
}

/** Answers requests for unknown paths. */
export function notFound(deps: Pick<HttpDeps, 'config' | 'limitStore'>) {
  const countPublic = publicCounter(deps);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    await countPublic(request, reply);
    const ended = refusalOfArea(deps.config, request, reply, request.arrivedAt);
    if (ended) throw ended;
    throw new ApiError('ROUTE_NOT_FOUND', `No endpoint ${request.method} ${request.url.split('?')[0]}.`);
  };
}

/** Counts a request that is no operation, in the public scope unless told; with 0 `points` it only returns what is left. */
export function publicCounter(
  deps: Pick<HttpDeps, 'config' | 'limitStore'>,
  points = 1,
  area: CountedArea = 'general',
) {
  const limits = limitsFor(deps.config);
  const caller: Caller = { kind: 'anonymous' };
  return ({ ip }: { ip: string }, reply: LimitHeaders): Promise<void> =>
    countRequest(deps.limitStore, limits, reply, { operation: { area }, caller, ip }, points);
}

/** Mounts routes: for each operation the caller is resolved, the limit counted, the input parsed and the rule run. */
export function mountRoutes(app: FastifyInstance, deps: HttpDeps, routes: Route[]): void {
  const admit = admission(deps);
  const executor: Executor = {
    pool: deps.pool,
    requireCaller: deps.requireCaller,
    running: new Map(),
    encryption: encryption(deps.config),
    serialize: replySerializer(deps.checkReplies ?? false),
  };
  const mount = (scope: FastifyInstance, route: Route) => {
    const { operation } = route;
    scope.route({
      method: [operation.method, ...(operation.alsoMethods ?? [])],
      url: fullPath(operation),
      config: { operation: operation.id },
      // Only for reads: sandbox exec runs its command with every method.
      exposeHeadRoute: operation.method === 'GET' && !isStreamed(operation),
      onRequest: (request, reply) => admit(operation, request, reply),
      handler: (request, reply) => {
        const { caller } = request;
        if (operation.deprecated && 'ownerId' in caller) deps.uses.used(caller.ownerId, operation.id);
        return handle(deps, executor, route, request, reply);
      },
    });
  };
  for (const route of routes) if (route.operation.maxBytes === undefined) mount(app, route);
  void app.register(async (scope) => {
    acceptBytes(scope);
    for (const route of routes) if (route.operation.maxBytes !== undefined) mount(scope, route);
  });
}

/** Resolves the caller and counts the request. */
function admission(deps: HttpDeps) {
  const limits = limitsFor(deps.config);
  const cookie = sessionCookie(deps.config);
  const passGate = createCredentialGate(cookie.read);
  const countPublic = publicCounter(deps);
  const enter = requestsAtOnce(deps.config.REQUESTS_AT_ONCE);
  return async (operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    announceEnd(operation, deps.config, request.params, reply);
    const ended = refusalOfEnded(operation, deps.config, request.arrivedAt);
    // An operation that has ended needs no credentials.
    if (ended) {
      await countPublic(request, reply);
      throw ended;
    }
    const counted = () => ({ operation, caller: request.caller, ip: request.ip });
    try {
      await passGate(request, {
        isUsedUp: () => isUsedUp(deps.limitStore, limits, counted()),
        async lookUp() {
          try {
            request.caller = await deps.authenticate(request, operation);
          } catch (error) {
            if (request.headers['x-api-key'] !== undefined && toApiError(error).isOurs) deps.faults?.note({});
            throw error;
          }
        },
        count: () => countRequest(deps.limitStore, limits, reply, counted()),
      });
    } catch (error) {
      // Scripts in the browser cannot remove the cookie of an ended session themselves.
      if (hasEnded(error) && cookie.read(request.headers)) reply.header('set-cookie', cookie.clear());
      throw error;
    }
    enter(operation, request, reply);
  };
}

const hasEnded = (refusal: unknown) => refusal instanceof ApiError && refusal.code === 'INVALID_SESSION';

async function handle(
  deps: HttpDeps,
  executor: Executor,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operation } = route;
  if (addsData(operation)) await deps.disk.requireRoom();
  const parsed = parseRequest(operation, request);
  const key = takesKey(operation) ? request.headers['idempotency-key'] : undefined;
  const keyed = idempotentRequest(executor.encryption, key, operation, request.caller, {
    url: request.url,
    body: request.rawBody ?? '',
    now: request.arrivedAt,
  });
  const call = {
    operation,
    caller: request.caller,
    ...parsed,
    tx: deps.pool,
    now: request.arrivedAt,
    correlationId: request.id,
    claim: undefined,
    bytes: () => readBytes(operation, request),
    signed: operation.rawBody ? { rawBody: request.rawBody ?? '', headers: request.headers } : undefined,
    whenGone: () => whenGone(reply),
    refusedNow: () => refusedNow(deps, request, operation),
    passedOn: false,
    raw: reply,
  } as unknown as Call;
  if (isStream(operation, request)) {
    await route.run(call);
    return reply;
  }
  const answer = await execute(executor, route, call, keyed);
  if (answer.replayed) reply.header('idempotent-replayed', 'true');
  if (answer.headers) reply.headers(answer.headers);
  if (answer.status === 200 && isConditional(operation) && isKnown(operation, answer.body, request, reply)) {
    return reply.code(304).send();
  }
  reply.code(answer.status);
  if (answer.body === '') return reply.send();
  const { status, contentType } = operation.reply;
  const type = answer.status === status && contentType ? contentType : 'application/json; charset=utf-8';
  // A picture that is opened by itself is a page: it may style itself and do nothing else.
  if (type === 'image/svg+xml') reply.header('content-security-policy', svgPolicy);
  return reply.header('content-type', type).send(await compressed(answer.body, request, reply));
}

const svgPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const addsData = ({ id }: Operation) => (underTheFloor as Record<string, string>)[id] === 'refused';

async function refusedNow(deps: HttpDeps, request: FastifyRequest, operation: Operation): Promise<ApiError | null> {
  try {
    await deps.authenticate(request, operation);
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error;
    throw error;
  }
}
