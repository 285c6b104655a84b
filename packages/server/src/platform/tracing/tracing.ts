import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

/** What a span says of itself. Never anything that a party wrote, nor a credential. */
export type Attributes = Record<string, string | number>;

/** Work that a trace shows: a request, a job, a transaction. */
export interface OpenSpan {
  /** Begins a span within this one. */
  child(name: string, attributes?: Attributes, kind?: 'client'): OpenSpan;
  /** Ends it; `failure` is a short name of what went wrong, if something did. */
  end(attributes?: Attributes, failure?: string): void;
}

/** Where traces of this server's own begin; `startMs` (of the epoch) is the beginning if that has passed. */
export interface Roots {
  root(name: string, attributes?: Attributes, startMs?: number): OpenSpan;
}

/** Sends traces to an OpenTelemetry collector. */
export interface Tracing extends Roots {
  /** Has each request make a span, within the caller's trace if it sent a `traceparent` (W3C Trace Context). */
  watch(app: FastifyInstance): void;
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>;
}

/** The span of whatever runs now. Nobody sets it where tracing is off, and then asking costs a comparison. */
const current = new AsyncLocalStorage<OpenSpan | undefined>();

/** Runs work as part of a span: what it begins with `inSpan` is shown within it. */
export const within = <T>(span: OpenSpan, work: () => T): T => current.run(span, work);

/** The span of whatever runs now, if that is traced. */
export const currentSpan = (): OpenSpan | undefined => current.getStore();

/** A short name of a failure: a catalogued code, else the error's class. Messages may quote what a party wrote. */
export const failureOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? (error as Error | null)?.name ?? 'Error').slice(0, 100);

/** Does work, shown as a span within the one that runs now, if that is traced. */
export function inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  const parent = current.getStore();
  return parent === undefined ? work() : follow(parent.child(name), work);
}

/** Does work as this span, and ends it. */
export async function follow<T>(span: OpenSpan, work: () => Promise<T>): Promise<T> {
  try {
    const result = await current.run(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end({}, failureOf(error));
    throw error;
  }
}

/** A run of a timed job that takes as long, or fails, is shown. Most find nothing to do, dozens a second. */
const shownMs = 100;

/** Runs a timed job outside the trace of whoever woke it, for its later runs would all be within that. */
export async function timedRun<T>(tracing: Roots | null, job: string, work: () => Promise<T>): Promise<T> {
  if (tracing === null) return work();
  const startMs = Date.now();
  let failure: string | undefined;
  try {
    return await current.run(undefined, work);
  } catch (error) {
    failure = failureOf(error);
    throw error;
  } finally {
    if (failure !== undefined || Date.now() - startMs >= shownMs)
      tracing.root(`job ${job}`, {}, startMs).end({}, failure);
  }
}
