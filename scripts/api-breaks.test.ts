import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { apiBreaks, committedBreaks, surfaceOf } from './api-breaks.mjs';

/** The check that nothing in version 1 breaks a caller: each rule, and the committed documents. */

const now = new Date('2026-11-23T00:00:00Z');

test('the present document breaks no caller of the last release', () => {
  const breaks = committedBreaks(fileURLToPath(new URL('..', import.meta.url)), new Date());
  // Announce the end of what must go, and keep it until then: "Changing the API" in CONTRIBUTING.md.
  expect(breaks).toEqual([]);
});

type Json = Record<string, unknown>;
const text = { type: 'string' };

/** A document of one operation, `POST /notes (notes.make)`, changed by `parts`. */
const documentOf = (
  parts: { operation?: Json; sent?: Json; given?: Json; query?: Json[]; schemas?: Json } = {},
): Json => ({
  paths: {
    '/notes': {
      post: {
        operationId: 'notes.make',
        security: [{ agentKey: [] }],
        parameters: parts.query ?? [],
        requestBody: { required: true, content: { 'application/json': { schema: parts.sent ?? {} } } },
        responses: {
          201: {
            headers: { ETag: {} },
            content: { 'application/json': { schema: parts.given ?? {} } },
          },
          400: {},
        },
        ...parts.operation,
      },
    },
  },
  components: {
    schemas: { Error: { type: 'object', properties: { error: text }, required: ['error'] }, ...parts.schemas },
  },
});

const object = (properties: Json, required: string[] = [], rest: Json = {}) => ({
  type: 'object',
  properties,
  required,
  ...rest,
});
const of = (before: Json, after: Json, at = now): string[] =>
  (apiBreaks(JSON.parse(surfaceOf(before)), after, at) as string[]).map((line) =>
    line.replace('POST /notes (notes.make)', 'It'),
  );
const sent = (before: Json, after: Json) => of(documentOf({ sent: before }), documentOf({ sent: after }));
const given = (before: Json, after: Json) => of(documentOf({ given: before }), documentOf({ given: after }));
const operation = (before: Json, after: Json) =>
  of(documentOf({ operation: before }), documentOf({ operation: after }));

describe('an operation', () => {
  test('must stay, until it ends as announced', () => {
    const none = { ...documentOf(), paths: {} };
    expect(of(documentOf(), none)).toEqual(['It is gone.']);
    const announced = documentOf({ operation: { deprecated: true, 'x-sunset': '2026-12-31T00:00:00Z' } });
    expect(of(announced, none)).toEqual(['It is gone.']);
    expect(of(announced, none, new Date('2026-12-31T00:00:00Z'))).toEqual([]);
    expect(of(none, documentOf())).toEqual([]);
  });

  test('keeps its name, its credentials, its success and its headers', () => {
    expect(operation({}, { operationId: 'notes.create' })).toEqual(['It: is now called notes.create.']);
    expect(operation({}, { security: [{ ownerToken: [] }] })).toEqual(['It: no longer works with agentKey.']);
    expect(operation({ security: [] }, {})).toEqual(['It: no longer works with no credentials.']);
    expect(operation({}, { security: [] })).toEqual([]);
    expect(operation({}, { security: [{ ownerToken: [] }, { agentKey: [] }] })).toEqual([]);
    expect(operation({}, { responses: { 200: {} } })).toEqual(['It: no longer answers 201.']);
    expect(operation({}, { responses: { 201: { content: { 'text/csv': {} } } } })).toEqual([
      'It: the header ETag of 201 is gone.',
      'It: the reply 201 is no longer given as application/json.',
    ]);
  });

  test('takes what it took as parameters', () => {
    const query = (...all: Json[]) =>
      documentOf({ query: all.map((each) => ({ in: 'query', schema: text, ...each })) });
    expect(of(query({ name: 'q' }), query())).toEqual(['It: the query parameter q is gone.']);
    expect(of(query(), query({ name: 'q', required: true }))).toEqual(['It: needs a new query parameter q.']);
    expect(of(query(), query({ name: 'q' }))).toEqual([]);
    expect(of(query({ name: 'q' }), query({ name: 'q', required: true }))).toEqual([
      'It: the query parameter q must now be given.',
    ]);
    expect(of(query({ name: 'q' }), query({ name: 'q', schema: { type: 'integer' } }))).toEqual([
      'It: the query parameter q no longer takes string.',
    ]);
  });

  test('needs no body that it did not need, and takes the one that it took', () => {
    expect(operation({ requestBody: undefined }, {})).toEqual(['It: needs a body now.']);
    expect(operation({}, { requestBody: undefined })).toEqual(['It: takes no body any more.']);
    const optional = { requestBody: { content: {} } };
    expect(operation(optional, { requestBody: { content: {}, required: true } })).toEqual([
      'It: the body must now be given.',
    ]);
  });
});

describe('what is sent', () => {
  const closed = { additionalProperties: false };

  test('may have all fields that it had, and must have no new one', () => {
    expect(sent(object({ a: text }), object({}))).toEqual(['It: a of the body is gone.']);
    expect(sent(object({ title: text }), object({}))).toEqual(['It: title of the body is gone.']);
    expect(sent(object({}), object({ a: text }, ['a']))).toEqual(['It: the body must now have a.']);
    expect(sent(object({ a: text }), object({ a: text }, ['a']))).toEqual(['It: the body must now have a.']);
    expect(sent(object({ a: text }, ['a']), object({ a: text, b: text }))).toEqual([]);
    expect(sent(object({}), object({}, [], closed))).toEqual([
      'It: the body no longer takes fields that are not listed.',
    ]);
  });

  test('has the values that were taken, and more', () => {
    const words = (...all: string[]) => object({ a: { type: 'string', enum: all } });
    expect(sent(words('x', 'y'), words('x'))).toEqual(['It: a of the body no longer takes y.']);
    expect(sent(words('x'), words('x', 'y'))).toEqual([]);
    expect(sent(object({ a: text }), words('x'))).toEqual(['It: a of the body took any string and now only takes x.']);
    expect(sent(object({ a: { type: 'integer' } }), object({ a: { type: 'number' } }))).toEqual([]);
    expect(sent(object({ a: { type: 'number' } }), object({ a: { type: 'integer' } }))).toEqual([
      'It: a of the body no longer takes number.',
    ]);
    expect(sent(object({ a: { anyOf: [text, { type: 'null' }] } }), object({ a: text }))).toEqual([
      'It: a of the body no longer takes null.',
    ]);
  });

  test('is held to no closer bounds, and to no other pattern', () => {
    const held = (rest: Json) => object({ a: { ...text, ...rest } });
    expect(sent(held({ maxLength: 10 }), held({ maxLength: 9 }))).toEqual([
      'It: a of the body is held to maxLength 9 instead of 10.',
    ]);
    expect(sent(held({}), held({ minLength: 1 }))).toEqual(['It: a of the body is held to minLength 1.']);
    expect(sent(held({ minLength: 2, maxLength: 9 }), held({ minLength: 1, maxLength: 10 }))).toEqual([]);
    expect(sent(held({ pattern: '^a' }), held({ pattern: '^b' }))).toEqual([
      'It: a of the body is held to pattern ^b instead of ^a.',
    ]);
    expect(sent(held({ pattern: '^a' }), held({}))).toEqual([]);
  });
});

describe('what is given', () => {
  test('has all fields that it had, always, of the same type; more may come', () => {
    expect(given(object({ a: text }), object({}))).toEqual(['It: a of the reply 201 is gone.']);
    expect(given(object({ a: text }, ['a']), object({ a: text }))).toEqual([
      'It: a of the reply 201 may now be missing.',
    ]);
    expect(given(object({ a: text }), object({ a: { type: 'integer' } }))).toEqual([
      'It: a of the reply 201 can now be integer.',
    ]);
    expect(given(object({ a: text }), object({ a: { anyOf: [text, { type: 'null' }] } }))).toEqual([
      'It: a of the reply 201 can now be null.',
    ]);
    expect(given(object({ a: text }), object({ a: text, b: text }, ['a', 'b']))).toEqual([]);
    expect(given(object({ a: { anyOf: [text, { type: 'null' }] } }), object({ a: text }))).toEqual([]);
  });

  test('can have more values of a list, and keeps those that it had and their format', () => {
    const words = (...all: string[]) => object({ a: { type: 'string', enum: all } });
    expect(given(words('x'), words('x', 'y'))).toEqual([]);
    expect(given(words('x', 'y'), words('x'))).toEqual(['It: a of the reply 201 is never again y.']);
    expect(given(object({ a: { ...text, format: 'date-time' } }), object({ a: text }))).toEqual([
      'It: a of the reply 201 is no longer in the format date-time.',
    ]);
  });

  test('is looked at in lists, maps, parts and references, also in those that contain themselves', () => {
    const list = (items: Json) =>
      object({ all: { type: 'array', items }, map: { type: 'object', additionalProperties: items } });
    const lost = [
      'It: a of each item of all of the reply 201 is gone.',
      'It: a of each value of map of the reply 201 is gone.',
    ];
    expect(given(list(object({ a: text })), list(object({})))).toEqual(lost);
    const parts = { allOf: [object({ a: text }), object({ b: text })] };
    expect(given(parts, { allOf: [object({ a: text })] })).toEqual(['It: b of the reply 201 is gone.']);
    const tree = { $ref: '#/components/schemas/Tree' };
    const withTree = (fields: Json) =>
      documentOf({ given: tree, schemas: { Tree: object({ ...fields, children: { type: 'array', items: tree } }) } });
    expect(of(withTree({ a: text }), withTree({}))).toEqual(['It: a of the reply 201 is gone.']);
  });

  test('errors keep their shape', () => {
    expect(of(documentOf(), documentOf({ schemas: { Error: object({}) } }))).toEqual([
      'Every operation: error of the body of errors is gone.',
    ]);
  });
});
