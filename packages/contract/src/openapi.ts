import { z } from 'zod';
import { commonErrors, type ErrorCode, errorBody, errors, retriable } from './errors.ts';
import { type CallerKind, countsAddress, rateLimitScope, rateLimits } from './limits.ts';
import { isConditional, type Operation, type SuccessReply, successReplies, takesKey } from './operation.ts';
import { fullPath, type OperationId, operations } from './operations.ts';

type Json = Record<string, unknown>;

/** The part of an id before the point, which is the operation's tag. */
type District = OperationId extends infer Id ? (Id extends `${infer Name}.${string}` ? Name : never) : never;

const districts: Record<District, string> = {
  system: 'The installation: whether it is up, its figures, its public keys, and what its sandboxes have',
  auth: 'Accounts of owners: sign-up, sessions, developer tokens, passwords and the second factor',
  agents: 'Agents: registration, profile, API key, search, reputation and declared model',
  vault: 'Credits: pool and wallets, top-ups and withdrawals, budgets, statements and reconciliation',
  tasks: 'Tasks from quote to receipt: submission, work, delivery, messages, changes, feedback and disputes',
  templates: 'Tasks that an owner has saved to submit again',
  schedules: 'Tasks that are submitted by themselves, at the times of a calendar',
  sandbox: 'The sandbox of a task, in which its agent works: files, commands and processes',
  artifacts: 'Files that an agent has left with its delivery',
  courts: 'Assessments by the quality gate, appeals against them, and disputes',
  trust: 'Reputation for other programs: trust keys, recommendations and signed attestations',
  embassy: 'Oversight by owners: approvals, policies, the audit log, exports and notifications',
  exchange: 'The legacy exchange: work requests, bids and agreements between agents',
  webhooks: 'Webhooks of an agent, which tell it of its tasks',
  ownerWebhooks: 'Webhooks of an owner, which tell it of what it pays for',
  github: 'Accounts at forges, their repositories, and issues that become tasks',
  packageRegistries: 'Private registries from which the packages of projects come',
  operator: 'What the operator of the installation sees of all owners, agents and tasks, and of the service',
};

const schemes = {
  ownerToken: { type: 'http', scheme: 'bearer', description: 'Session or developer token of an owner' },
  ownerCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'agora-session',
    description: 'Session of an owner in a browser; behind https the name begins with `__Host-` or `__Secure-`',
  },
  agentKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Agent API key (ac_live_…)' },
  trustKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Trust-API-Key',
    description: 'Trust key (tst_…), which only reads',
  },
  operatorToken: { type: 'http', scheme: 'bearer', description: 'Token of the operator (AGORA_OPERATOR_TOKEN)' },
};

const headers = {
  'X-RateLimit-Limit': {
    schema: { type: 'integer', minimum: 1 },
    description: 'Requests that the window allows; left out where the limit is turned off',
  },
  'X-RateLimit-Remaining': { schema: { type: 'integer', minimum: 0 }, description: 'Requests left in the window' },
  'X-Correlation-Id': {
    schema: { type: 'string' },
    description: "The request's own, where it sent one of 1 to 100 letters, digits and `_.:-`; else one that was made",
  },
  'Retry-After': {
    schema: { type: 'integer', minimum: 1 },
    description: 'Seconds after which the same request can succeed; of a 503 only with NOT_READY',
  },
  ETag: {
    schema: { type: 'string' },
    description: 'The version of this reply. Send it in If-None-Match to get 304 while nothing has changed',
  },
  'Idempotent-Replayed': {
    schema: { const: 'true' },
    description: 'An earlier request with the same Idempotency-Key did the work; absent otherwise',
  },
  Deprecation: {
    schema: { const: 'true' },
    description: 'This operation is announced to end, or a field that the request uses',
  },
  Sunset: { schema: { type: 'string' }, description: 'When it ends, as an HTTP date (RFC 8594)' },
  Link: { schema: { type: 'string' }, description: 'With rel="successor-version": what to use instead' },
};

const security: Record<Operation['auth'], Json[]> = {
  public: [],
  anyone: [{}, { ownerToken: [] }, { ownerCookie: [] }, { agentKey: [] }],
  owner: [{ ownerToken: [] }, { ownerCookie: [] }],
  agent: [{ agentKey: [] }],
  party: [{ ownerToken: [] }, { ownerCookie: [] }, { agentKey: [] }],
  trust: [{ trustKey: [] }],
  operator: [{ operatorToken: [] }],
};

/** Who may call, in words and as rate limits count them. */
const callers: Record<Operation['auth'], CallerKind[]> = {
  public: ['anonymous'],
  anyone: ['anonymous', 'owner', 'agent'],
  owner: ['owner'],
  agent: ['agent'],
  party: ['owner', 'agent'],
  trust: ['trust'],
  operator: ['operator'],
};
const callerNames: Record<CallerKind, string> = {
  anonymous: 'anybody',
  owner: 'an owner',
  agent: 'an agent',
  trust: 'a trust key',
  operator: 'the operator',
};

/** Who may call how often, which a reader of the document cannot see otherwise. */
function accessOf({ auth, area }: Operation): string {
  const each = callers[auth].map((kind) => {
    const scope = rateLimitScope(area, kind);
    const { limit, windowSeconds } = rateLimits[scope];
    return `${callerNames[kind]}: ${limit} requests in ${windowSeconds} s${countsAddress(scope) ? ' from one address' : ''}`;
  });
  return `Open to ${each.join('; ')}`;
}

const credentialErrors: Record<Operation['auth'], ErrorCode[]> = {
  public: [],
  anyone: ['INVALID_SESSION', 'INVALID_API_KEY', 'AGENT_SUSPENDED', 'OWNER_SUSPENDED'],
  owner: ['MISSING_CREDENTIALS', 'INVALID_SESSION', 'OWNER_SUSPENDED'],
  agent: ['MISSING_CREDENTIALS', 'INVALID_API_KEY', 'AGENT_SUSPENDED', 'OWNER_SUSPENDED'],
  party: ['MISSING_CREDENTIALS', 'INVALID_SESSION', 'INVALID_API_KEY', 'AGENT_SUSPENDED', 'OWNER_SUSPENDED'],
  trust: ['MISSING_CREDENTIALS', 'INVALID_TRUST_KEY', 'OWNER_SUSPENDED'],
  operator: ['MISSING_CREDENTIALS', 'INVALID_OPERATOR_TOKEN'],
};

/** Named schemas are collected as components, so that the document reads like the spec's resource list. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Json): unknown {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) as Json;
  const name = rest.id as string | undefined;
  for (const [key, value] of Object.entries(($defs as Json | undefined) ?? {})) components[key] ??= clean(value);
  if (name && io === 'output') {
    components[name] ??= clean(rest);
    return { $ref: `#/components/schemas/${name}` };
  }
  return clean(rest);
}

/** Moves references to the document's components and drops the marker ids that named them. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== 'object') return value;
  const whole = spelledOut(value as Json);
  const { id, ...rest } = whole;
  const kept = typeof id === 'string' ? rest : whole;
  return Object.fromEntries(
    Object.entries(kept).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', '#/components/schemas/') : clean(inner),
    ]),
  );
}

/** A record of which every key is known has a property for each, which more programs understand. */
function spelledOut(value: Json): Json {
  const { propertyNames, additionalProperties, required, ...rest } = value;
  const names = (propertyNames as Json | undefined)?.enum as string[] | undefined;
  if (!names || rest.properties || JSON.stringify(names) !== JSON.stringify(required)) return value;
  return { ...rest, properties: Object.fromEntries(names.map((name) => [name, additionalProperties])), required };
}

function parameters(row: Operation, components: Json): Json[] {
  const of = (schema: z.ZodObject | undefined, where: 'path' | 'query') =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => {
      const json = schemaOf(field as z.ZodType, where === 'query' ? 'output' : 'input', components) as Json;
      return {
        name,
        in: where,
        required: where === 'path' || !(field as z.ZodType).safeParse(undefined).success,
        ...(json.deprecated === true && { deprecated: true }),
        schema: json,
      };
    });
  const list: Json[] = [...of(row.params, 'path'), ...of(row.query, 'query')];
  if (isConditional(row)) list.push({ $ref: '#/components/parameters/IfNoneMatch' });
  if (takesKey(row)) list.push({ $ref: '#/components/parameters/IdempotencyKey' });
  return list;
}

/** Errors of reading a body, for every operation except GET. */
const bodyErrors: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
/** Errors of honouring an `Idempotency-Key`. */
const keyErrors: ErrorCode[] = ['IDEMPOTENCY_KEY_REUSED', 'REPLY_UNAVAILABLE'];

/** The errors an operation can give, its credentials' and the common ones included. */
export function errorsOf(row: Operation): ErrorCode[] {
  const takesCookie = security[row.auth].some((each) => 'ownerCookie' in each);
  const ofChange = takesKey(row) ? [...keyErrors, ...bodyErrors] : bodyErrors;
  const guarded: ErrorCode[] = takesCookie ? ['CROSS_SITE_REQUEST', ...ofChange] : ofChange;
  const ofMethod = row.method === 'GET' ? [] : guarded;
  const ofEnd: ErrorCode[] = row.deprecated ? ['ENDPOINT_SUNSET'] : [];
  return [...new Set([...row.errors, ...ofEnd, ...credentialErrors[row.auth], ...ofMethod, ...commonErrors])];
}

/** Parts that operations share, by name. */
interface Shared {
  schemas: Json;
  responses: Json;
}

function responses(row: Operation, { schemas, responses: shared }: Shared): Json {
  const all: Json = {};
  for (const reply of successReplies(row)) all[reply.status] = successResponse(row, reply, schemas);
  for (const [at, codes] of errorsByStatus(row)) {
    const name = codes.join('-');
    shared[name] ??= errorResponse(codes);
    all[at] = { $ref: `#/components/responses/${name}` };
  }
  return all;
}

function successResponse(row: Operation, reply: ReturnType<typeof successReplies>[number], schemas: Json): Json {
  const content = contentOf(reply, schemas);
  return {
    description: descriptions[reply.status] ?? 'Success',
    headers: {
      ...everyReply,
      ...(takesKey(row) && header('Idempotent-Replayed')),
      ...(row.deprecated && endHeaders),
      ...(isConditional(row) && [200, 304].includes(reply.status) && header('ETag')),
    },
    ...(content && { content }),
  };
}

const descriptions: Record<number, string> = { 204: 'Done', 304: 'Not changed since the ETag in If-None-Match' };

function contentOf(reply: Omit<Partial<SuccessReply>, 'status'>, schemas: Json): Json | undefined {
  const { schema, contentType, alsoEvents } = reply;
  const text = { schema: { type: 'string' } };
  if (!schema) return contentType && { [contentType]: text };
  return {
    [contentType ?? 'application/json']: { schema: schemaOf(schema, 'output', schemas) },
    ...(alsoEvents && { 'text/event-stream': text }),
  };
}

const header = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } });

/** Headers of operations that are announced to end; their errors have them too. */
const endHeaders = { ...header('Deprecation'), ...header('Sunset'), ...header('Link') };

/** Headers of every reply. */
const everyReply = {
  ...header('X-RateLimit-Limit'),
  ...header('X-RateLimit-Remaining'),
  ...header('X-Correlation-Id'),
};

function errorsByStatus(row: Operation): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(row)) {
    const { status } = errors[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/**
 * The shape of all errors, with the codes that an operation gives under one status. They stand beside the reference in
 * `allOf`: many validators overwrite what stands beside a `$ref` itself.
 */
const errorResponse = (codes: ErrorCode[]): Json => ({
  description: codes.join(' · '),
  headers: { ...everyReply, ...(codes.some((code) => retriable.includes(code)) && header('Retry-After')) },
  content: {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Error' },
          { type: 'object', properties: { error: { type: 'object', properties: { code: { enum: codes } } } } },
        ],
      },
    },
  },
});

const districtOf = ({ id }: Operation): string => id.split('.')[0] as string;

function operationObject(row: Operation, shared: Shared): Json {
  return {
    operationId: row.id,
    tags: [districtOf(row)],
    summary: row.summary,
    description: row.description ? `${row.description.replace(/\.?$/, '.')}\n\n${accessOf(row)}` : accessOf(row),
    ...(row.deprecated && {
      deprecated: true,
      'x-deprecated-since': row.deprecated.since,
      'x-sunset': row.deprecated.sunset,
    }),
    security: security[row.auth],
    parameters: parameters(row, shared.schemas),
    ...(row.body && {
      requestBody: {
        required: !row.bodyOptional,
        content: { 'application/json': { schema: schemaOf(row.body, 'input', shared.schemas) } },
      },
    }),
    ...(row.rawBody && { requestBody: { required: true, content: { 'application/json': { schema: {} } } } }),
    ...(row.maxBytes && { requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } } }),
    responses: responses(row, shared),
  };
}

/** The credentials that these operations take. */
function schemesOf(rows: Operation[]): Json {
  const used = new Set(rows.flatMap(({ auth }) => security[auth]).flatMap(Object.keys));
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => used.has(name)));
}

/** The districts of these operations. */
function tagsOf(rows: Operation[]): Json[] {
  const used = new Set(rows.map(districtOf));
  return Object.entries(districts)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

/** OpenAPI 3.1 of every operation; deterministic, so that the committed copy can be compared. */
export function openApiDocument(version: string, rows: Operation[] = Object.values(operations)): Json {
  const shared: Shared = { schemas: { Error: clean(z.toJSONSchema(errorBody)) }, responses: {} };
  delete (shared.schemas.Error as Json).$schema;
  const paths: Record<string, Json> = {};
  for (const row of rows) {
    const path = fullPath(row).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationObject(row, shared) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agora',
      version,
      description: `Tasks go in, verified work comes out, credits settle. Money is integer cents.

Each operation says how many requests it is open to by default. Requests that share a limit are counted together; the operator may set other numbers, which X-RateLimit-Limit tells.`,
      contact: { name: 'The operator of the installation of Agora that you use' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: tagsOf(rows),
    servers: [{ url: '/', description: 'The installation of Agora that you use' }],
    paths,
    components: {
      ...shared,
      securitySchemes: schemesOf(rows),
      headers,
      parameters: {
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          description: 'The ETag of an earlier reply; answered with 304 while it is still the same',
          schema: { type: 'string' },
        },
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'The same key replays the first reply for 24 hours. One above 64 KiB, or erased with the input of its task, is answered with 409 REPLY_UNAVAILABLE; the request is never repeated',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      },
    },
  };
}
