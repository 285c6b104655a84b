import type { Operation } from '@agora-market/contract';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError, invalidField, shortPath } from '../api-error.ts';
import { pathOf } from './scan.ts';

interface Parsed {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Text PostgreSQL cannot store: NUL and lone surrogates. In JSON text both only arise from escapes. */
const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/** The path of the first string that cannot be stored, or null. */
function unstorable(value: unknown, path: string): string | null {
  if (typeof value === 'string') return value.includes('\u0000') || !value.isWellFormed() ? path : null;
  if (value === null || typeof value !== 'object') return null;
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    const found = unstorable(key, at) ?? unstorable(inner, at);
    if (found !== null) return found;
  }
  return null;
}

/** Wrong fields that a refusal lists; it says how many more there are. */
const maxListed = 20;

function check(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const count = issues.reduce((sum, issue) => sum + namesOf(issue).length, 0);
  // An issue has one field or more.
  const fields = issues.slice(0, maxListed).flatMap((issue) => fieldsOf(issue, where, value));
  const listed = fields.slice(0, maxListed);
  const more = count - listed.length;
  const others = count > 1 && more > 0 ? ` (and ${(count - 1).toLocaleString('en')} more)` : '';
  const message = `${listed[0]?.path}: ${listed[0]?.message}${others}`;
  throw new ApiError('VALIDATION_ERROR', message, { in: where, fields: listed, ...(more > 0 && { more }) });
}

type Issue = z.core.$ZodIssue;

/** The unknown keys that an issue is about; an issue of any other kind is about the one place it is at. */
const namesOf = (issue: Issue): string[] => (issue.code === 'unrecognized_keys' ? issue.keys : ['']);

/** Whether the value that the issue names is missing. */
const isMissing = ({ path }: Issue, value: unknown) =>
  path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value) === undefined;

/** The validator speaks of `undefined`, which nobody has sent, and names all unknown keys, however many. */
function messageOf(issue: Issue, value: unknown): string {
  if (issue.code === 'unrecognized_keys') return 'is not a field here';
  if (!isMissing(issue, value)) return issue.message;
  if (issue.code === 'invalid_type') return `is missing; it takes: ${issue.expected}`;
  return issue.code === 'invalid_value' ? `is missing; it takes: ${issue.values.join(', ')}` : issue.message;
}

/** The first wrong fields of an issue. */
function fieldsOf(issue: Issue, where: string, value: unknown): { path: string; message: string }[] {
  const message = messageOf(issue, value);
  return namesOf(issue)
    .slice(0, maxListed)
    .map((name) => ({
      path: shortPath([...issue.path.map(String), name].filter(Boolean).join('.') || where),
      message,
    }));
}

/** Checks path, query and body against the operation; everything a rule receives has passed here. */
export function parseRequest(operation: Operation, request: FastifyRequest): Parsed {
  const bad = unstorable(request.query, '') ?? unstorable(request.params, '');
  if (bad !== null) throw invalidField(bad, 'must not contain NUL or unpaired surrogates');
  const { rawBody, changedNumber } = request;
  let body = request.body as unknown;
  if (operation.body) {
    if (rawBody !== undefined && suspectEscape.test(rawBody)) {
      const at = unstorable(body, '');
      if (at !== null) throw invalidField(at, 'must not contain NUL or unpaired surrogates');
    }
    if (changedNumber)
      throw invalidField(
        pathOf(changedNumber) || 'body',
        'is a number too large or too precise to be kept as it is; send a smaller one, or text where that is taken',
      );
    body = body === undefined && operation.bodyOptional ? undefined : check(operation.body, body ?? {}, 'body');
  } else if (!operation.rawBody && !operation.maxBytes && Object.keys(body ?? {}).length > 0) {
    throw new ApiError('VALIDATION_ERROR', 'This operation takes no body.', { in: 'body', fields: [] });
  }
  return {
    params: operation.params ? check(operation.params, request.params, 'path') : undefined,
    query: operation.query ? check(operation.query, request.query, 'query') : undefined,
    body,
  };
}
