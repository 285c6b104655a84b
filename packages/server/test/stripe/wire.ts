import type { IncomingMessage } from 'node:http';

/** The form-encoded bodies and the errors of Stripe's API, as far as the SDK uses them. */

export type Form = { [key: string]: string | Form | (string | Form)[] | undefined };

/** `a[b]=1&c[0]=x` to `{ a: { b: '1' }, c: ['x'] }`. */
export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.split(/\[|\]\[|\]/).filter((key) => key !== '');
    // biome-ignore lint/suspicious/noExplicitAny: the form takes its shape from the names
    let at: any = form;
    keys.forEach((key, index) => {
      if (index === keys.length - 1) at[key] = value;
      else at[key] ??= /^\d+$/.test(keys[index + 1] as string) ? [] : {};
      at = at[key];
    });
  }
  return form;
}

/** A field that is a text; undefined if it is missing. */
export function text(form: Form, name: string): string | undefined {
  const value = form[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function required(form: Form, name: string): string {
  const value = text(form, name);
  if (value !== undefined) return value;
  throw new StripeFailure(400, {
    type: 'invalid_request_error',
    code: 'parameter_missing',
    param: name,
    message: `Missing required param: ${name}.`,
  });
}

export function group(form: Form, name: string): Form {
  const value = form[name];
  return typeof value === 'object' && !Array.isArray(value) ? value : {};
}

export const metadataOf = (form: Form): Record<string, string> => group(form, 'metadata') as Record<string, string>;

export interface ErrorFields {
  type: 'invalid_request_error' | 'card_error' | 'api_error' | 'idempotency_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  payment_intent?: object;
}

/** An error that the fake answers in Stripe's shape. */
export class StripeFailure extends Error {
  readonly status: number;
  readonly error: ErrorFields;
  constructor(status: number, error: ErrorFields) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

export const missing = (what: string, id: string, param = 'id') =>
  new StripeFailure(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${what}: '${id}'`,
  });

export const refused = (message: string, code?: string) =>
  new StripeFailure(400, { type: 'invalid_request_error', message, ...(code !== undefined && { code }) });

export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** A page of a list, newest first, by the cursors and the `created` filter that the SDK sends. */
export function listOf<T extends { id: string; created: number }>(url: string, found: Iterable<T>, query: Form) {
  const since = Number(text(group(query, 'created'), 'gte') ?? 0);
  const all = [...found].filter((one) => one.created >= since).reverse();
  const after = text(query, 'starting_after');
  const start = after === undefined ? 0 : all.findIndex((one) => one.id === after) + 1;
  const limit = Number(text(query, 'limit') ?? 10);
  const data = all.slice(start, start + limit);
  return { object: 'list' as const, data, has_more: start + limit < all.length, url };
}
