import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemClock } from '../clock.ts';
import { withTimeout } from '../concurrency/index.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { packageVersion } from '../version.ts';
import { watchOutbound } from './outbound-calls.ts';
import { type OpenSpan, type Tracing, within } from './tracing.ts';

/** Spans that wait to be sent; what is above that is lost, and no request waits. */
const maxQueued = 2_048;
const exportMs = 10_000;
const closeMs = 2_000;

/** Traces as OTLP over HTTP, in JSON. Loaded only where an endpoint is set. */
export function createTracing(config: Config, log: Logger): Tracing {
  const url = `${config.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
  const exporter = reporting(new OTLPTraceExporter({ url, timeoutMillis: exportMs }), url, log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME, 'service.version': packageVersion }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanLimits: { attributeValueLengthLimit: 300 },
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: maxQueued, exportTimeoutMillis: exportMs })],
  });
  const tracer = provider.getTracer('agora', packageVersion);
  const stopWatching = watchOutbound();
  return {
    watch: (app) => watchRequests(app, tracer),
    root: (name, attributes = {}, startTime = undefined) =>
      open(tracer, tracer.startSpan(name, { attributes, ...(startTime !== undefined && { startTime }) }, ROOT_CONTEXT)),
    async close() {
      stopWatching();
      await withTimeout(
        systemClock,
        closeMs,
        provider.shutdown().catch(() => {}),
      );
    },
  };
}

const kinds = { client: SpanKind.CLIENT } as const;

function open(tracer: Tracer, span: Span): OpenSpan {
  return {
    child: (name, attributes = {}, kind) =>
      open(
        tracer,
        tracer.startSpan(name, { attributes, ...(kind && { kind: kinds[kind] }) }, trace.setSpan(ROOT_CONTEXT, span)),
      ),
    end(attributes = {}, failure) {
      span.setAttributes(attributes);
      if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    span: OpenSpan | null;
  }
}

const propagator = new W3CTraceContextPropagator();

function watchRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, reply, done) => {
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    request.span = beginRequest(tracer, parent, request, reply);
    within(request.span, done);
  });
  // A body is read in the context of its connection, which is that of no request.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span) within(request.span, done);
    else done();
  });
}

/** Only what the contract wrote is told: the operation and its path with the names of parameters, never their values. */
function beginRequest(tracer: Tracer, parent: Context, request: FastifyRequest, reply: FastifyReply): OpenSpan {
  const { url: route, config } = request.routeOptions;
  const { operation } = config as { operation?: string };
  const attributes = {
    'http.request.method': request.method,
    ...(route !== undefined && { 'http.route': route }),
    'agora.correlation_id': request.id,
  };
  const name = operation ?? (route === undefined ? 'none' : `${request.method} ${route}`);
  const span = open(tracer, tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent));
  const { raw } = reply;
  raw.once('close', () => {
    const status = raw.statusCode;
    const failure = raw.writableFinished ? (status >= 500 ? String(status) : undefined) : 'aborted';
    span.end({ 'http.response.status_code': status }, failure);
  });
  return span;
}

/** An exporter that logs once that the endpoint does not take spans, and once that it does again. */
function reporting(exporter: SpanExporter, url: string, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !isFailing) log.warn({ err: result.error, url }, 'traces cannot be sent, and are dropped');
        if (!failed && isFailing) log.info({ url }, 'traces are sent again');
        isFailing = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
