import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call. `owner` is a session or developer token, `agent` an API key; `party` takes either and the rule
 * decides by the resource; `anyone` does so too, and works without; `trust` is a key that only reads reputation;
 * `public` looks at no credentials.
 */
export type Auth = 'public' | 'anyone' | 'owner' | 'agent' | 'party' | 'trust' | 'operator';

/**
 * Which rate limit counts. `signUp`, `auth`, `processor` and `probe` count by address; otherwise agents, trust consumers and anonymous
 * callers have one scope each, and an owner's scope depends on the area: `tasks`, `dryRuns`, `oversight` or `general`.
 */
export type LimitArea = 'signUp' | 'auth' | 'processor' | 'probe' | 'tasks' | 'dryRuns' | 'oversight' | 'general';

/**
 * How the rule runs: `read` gets the pool, `write` one transaction, `ledger` one transaction that may move money, and
 * `step` the step writer. `external` gets no transaction, because the rule calls outside.
 */
export type TransactionMode = 'read' | 'write' | 'ledger' | 'step' | 'external';

/** Content types whose body a rule returns as text: a picture, a signed statement (RFC 7515, compact), or Prometheus' metrics. */
export const textTypes = ['image/svg+xml', 'application/jose', 'text/plain; version=0.0.4; charset=utf-8'] as const;

type StreamType = 'text/event-stream' | 'text/csv' | 'application/x-ndjson' | 'application/octet-stream';

/** One way in which an operation succeeds. */
export interface SuccessReply {
  status: 200 | 201 | 202 | 204;
  schema?: z.ZodType;
  /** With a schema: the type of the body, if not plain JSON. Without one: the rule writes a stream. */
  contentType?: (typeof textTypes)[number] | 'application/jwk-set+json' | StreamType;
  /** With `Accept: text/event-stream` the reply comes in parts as they arise. No Idempotency-Key is kept for it. */
  alsoEvents?: true;
}

/** One row of the contract. Validation, replies, limits, OpenAPI, SDK types and tests all derive from it. */
export interface Operation {
  id: string;
  /** The first is documented; sandbox exec answers any method. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  alsoMethods?: readonly ('GET' | 'PUT' | 'PATCH' | 'DELETE')[];
  /** Under `/api/v1`, parameters as `:name`. */
  path: string;
  /** The path is not below `/api/v1`, because a standard says where it is (RFC 8615). */
  root?: true;
  auth: Auth;
  area: LimitArea;
  tx: TransactionMode;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** A body may be left out. */
  bodyOptional?: boolean;
  /** The rule gets the body byte for byte, because a signature covers it. No schema checks it. */
  rawBody?: true;
  /** The body is bytes (`application/octet-stream`), as many as this at most. The rule reads them when it has room for them. */
  maxBytes?: number;
  reply: SuccessReply;
  /** The rule names the status where it gives one of these. With a 304, the server sends an ETag and compares it itself. */
  otherReplies?: readonly (Pick<SuccessReply, 'status' | 'schema'> | { status: 304; schema?: undefined })[];
  /**
   * Announced on `since` to end: replies say so, and from the sunset on (both ISO 8601) there is only 410. The successor
   * is a path. An operator may set another sunset by the named setting.
   */
  deprecated?: { since: string; sunset: string; setting?: 'EXCHANGE_SUNSET'; successor?: string };
  errors: readonly ErrorCode[];
}

/** Keeps the row's literal types, from which the SDK and the server infer theirs. */
export const operation = <const O extends Operation>(row: O): O => row;

type Infer<S> = S extends z.ZodType ? z.output<S> : undefined;
type InferInput<S> = S extends z.ZodType ? z.input<S> : undefined;

export type ParamsOf<O extends Operation> = Infer<O['params']>;
export type QueryOf<O extends Operation> = Infer<O['query']>;
export type BodyOf<O extends Operation> = Infer<O['body']>;
export type QueryInputOf<O extends Operation> = InferInput<O['query']>;
export type BodyInputOf<O extends Operation> = InferInput<O['body']>;
/** The successful reply: its body, or that of another reply of the row. */
export type ReplyOf<O extends Operation> = Infer<O['reply']['schema']> | OtherBodyOf<O>;

type OtherBodyOf<O extends Operation> = O['otherReplies'] extends readonly (infer R)[]
  ? R extends { schema: infer S }
    ? Infer<S>
    : R extends { status: 204 }
      ? undefined
      : never
  : never;

/** Whether the reply has an ETag, so that a caller with the same version gets 304 (RFC 9110, 13.1.2). */
export const isConditional = (row: Operation): boolean =>
  row.otherReplies?.some(({ status }) => status === 304) ?? false;

/** Whether an `Idempotency-Key` counts. It could not tell two bodies of bytes apart, which are not read with the rest. */
export const takesKey = ({ method, maxBytes }: Operation): boolean => method !== 'GET' && maxBytes === undefined;

/**
 * Whether a suspended agent may call it: it may finish the tasks and agreements that it has begun, and take part in the
 * cases about them.
 */
export const servesSuspended = ({ id, path }: Pick<Operation, 'id' | 'path'>): boolean =>
  (path.startsWith('/tasks/:taskId') && id !== 'tasks.start') ||
  path.startsWith('/exchange/agreements/:agreementId') ||
  path.startsWith('/courts/');

/** Whether the rule writes the reply itself. */
export const isStreamed = ({ reply }: Operation): boolean => reply.contentType !== undefined && !reply.schema;

/** Every success reply of an operation, the usual one first. */
export const successReplies = ({ reply, otherReplies = [] }: Operation) => [reply, ...otherReplies];

/** Times on the wire: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-21T09:30:00.000Z'] });

/**
 * A whole number in a query. It must be written in digits: coercion reads nothing, blanks and `1e3` as numbers too,
 * and a filter that was left empty would then find something else.
 */
export const queryInt = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int(`must be a whole number from ${min} to ${max}, in digits`).min(min).max(max),
  );

/** `true` or `false` in a query. */
export const queryFlag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean('must be true or false'),
);

/** An instant in a query: ISO 8601 in UTC, as precise as the caller likes. */
export const instant = (description: string) =>
  z.iso
    .datetime()
    .regex(/^20/, 'must be a time from 2000 to 2099')
    .optional()
    .meta({ description, examples: ['2026-11-21T09:30:00.000Z'] });

/** Query parameters of every collection: `pageSize` 1–100 (default 20) and the previous page's `nextCursor`. */
export const pageQuery = {
  pageSize: queryInt(1, 100).default(20),
  cursor: z.string().min(1).max(500).optional(),
};

export const pagination = z.object({ pageSize: z.int(), nextCursor: z.string().nullable() });

/** A page of a collection; `nextCursor` is null on the last one. */
export const page = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item), pagination });

/** Says the right form where a field is of another type altogether, for example a text for an object. */
export const formOf = (form: string) => ({
  error: ({ code }: { code?: string | undefined }) => (code === 'invalid_type' ? `must be ${form}` : undefined),
});

/** A record of so many entries at most; they are counted before anything is said of each. */
export const mapOf = <K extends z.ZodString, V extends z.ZodType>(key: K, value: V, most: number, form: string) => {
  const counted = z.preprocess(
    (given, context) => {
      const count = typeof given === 'object' && given !== null ? Object.keys(given).length : 0;
      if (count <= most) return given;
      context.addIssue({ code: 'custom', message: `has ${count} entries; at most ${most} are allowed` });
      return z.NEVER;
    },
    z.record(key, value, formOf(form)),
  );
  // Callers see a record; a preprocessed schema would take anything as far as types go.
  return counted as unknown as z.ZodRecord<K, V>;
};

/** Sandbox replies carry their payload under `data`. */
export const data = <T extends z.ZodType>(payload: T) => z.object({ data: payload });

/** The operator's reason for a change, for the audit trail; `why` describes it. */
export const audited = (why: string) => ({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .meta({ description: `${why} the audit trail` }),
  by: z.string().trim().min(1).max(200).default('operator').meta({ description: 'Who does it, for the audit trail' }),
});
