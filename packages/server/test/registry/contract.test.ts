import { readFileSync } from 'node:fs';
import {
  apiPrefix,
  deprecations,
  errors,
  errorsOf,
  fullPath,
  isConditional,
  isStreamed,
  noticeDays,
  type Operation,
  openApiDocument,
  operations,
  successReplies,
  takesKey,
  taskStatuses,
} from '@agora-market/contract';
import { Agora } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { packageVersion } from '../../src/platform/index.ts';
import { serverForFile } from '../api/scene.ts';
import { operationAt } from '../api/watch.ts';

/** Each row of the contract has what a row must have: a route, an SDK method and a place in the document. */

const server = serverForFile();
const rows = Object.values<Operation>(operations);
const each = rows.map((row) => [row.id, row] as const);

/** The payment processor calls with a signature of its own, and nobody else calls these. */
const withMethod = each.filter(([, row]) => !row.rawBody);

describe('rows', () => {
  test.each(Object.entries<Operation>(operations))('%s is filed under its id and is whole', (key, row) => {
    expect(row.id).toBe(key);
    expect(row.path).toMatch(row.root ? /^(\/[a-z.-]+)+$/ : /^(\/[a-z.-]+|\/:[a-z][A-Za-z]*)+$/);
    const inPath = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(row.params?.shape ?? {})).toEqual(inPath);
    if (row.method === 'GET') expect(row.body).toBeUndefined();
    if (row.reply.status === 204) expect(row.reply.schema).toBeUndefined();
    else expect(row.reply.schema ?? row.reply.contentType).toBeDefined();
    const statuses = successReplies(row).map((reply) => reply.status);
    expect(new Set(statuses).size).toBe(statuses.length);
    for (const { status, schema } of row.otherReplies ?? []) expect(schema === undefined).toBe(status >= 204);
    if (isConditional(row)) expect([row.method, row.reply.status, isStreamed(row)]).toEqual(['GET', 200, false]);
    expect(new Set(row.errors).size).toBe(row.errors.length);
    if (row.deprecated) {
      expect(rows.map(({ path }) => path)).toContain(row.deprecated.successor ?? row.path);
    }
  });

  test('announce an end 90 days before, or earlier', () => {
    for (const { id, deprecated } of deprecations(rows)) {
      const { since, sunset } = deprecated;
      for (const time of [since, sunset]) expect(z.iso.datetime().safeParse(time).success, id).toBe(true);
      expect(Date.parse(sunset) - Date.parse(since), id).toBeGreaterThanOrEqual(noticeDays * 86_400_000);
    }
  });

  test('no two answer the same request', () => {
    const places = rows.map((row) => `${row.method} ${row.path.replace(/:\w+/g, ':')}`);
    expect(new Set(places).size).toBe(places.length);
  });

  test('every error of the catalogue can occur somewhere', () => {
    // No path at all; and what an ended operation gets, of which there may be none.
    const declared = new Set<string>(['ROUTE_NOT_FOUND', 'ENDPOINT_SUNSET', ...rows.flatMap((row) => errorsOf(row))]);
    expect(Object.keys(errors).filter((code) => !declared.has(code))).toEqual([]);
  });
});

describe('routes', () => {
  test.each(each)('%s is mounted, for every method it answers', (_id, row) => {
    for (const method of [row.method, ...(row.alsoMethods ?? [])]) {
      expect(server.app.http.hasRoute({ method, url: fullPath(row) }), method).toBe(true);
    }
  });
});

describe('SDK', () => {
  test.each(withMethod)('%s has a method that calls it, and no other operation', async (id, row) => {
    const calls: string[] = [];
    // Ends what would try again for ever.
    const called = new AbortController();
    const agora = new Agora({
      baseUrl: 'http://agora.test',
      ownerToken: 'owner',
      agentKey: 'agent',
      trustKey: 'trust',
      maxRetries: 0,
      fetch: async (input, init) => {
        const { pathname } = new URL(String(input));
        calls.push(operationAt(init?.method ?? 'GET', pathname)?.id ?? `nothing at ${init?.method} ${pathname}`);
        called.abort();
        throw new Error('recorded');
      },
    });
    const [district, verb] = id.split('.') as [string, string];
    const resource = (agora as unknown as Record<string, Record<string, unknown>>)[district];
    expect(resource?.[verb], `agora.${id}`).toBeTypeOf('function');
    const params = [...row.path.matchAll(/:/g)].map(() => 'x');
    const method = resource?.[verb] as (...args: unknown[]) => unknown;
    const content = row.query || row.body ? [{}] : [];
    const result = method.call(resource, ...params, ...content, { signal: called.signal });
    const stream = result as AsyncGenerator;
    const done = typeof stream.next === 'function' ? stream.next() : (result as Promise<unknown>);
    await expect(done).rejects.toThrow();
    expect([...new Set(calls)]).toEqual([id]);
  });
});

type Json = Record<string, unknown>;
const document = openApiDocument(packageVersion) as unknown as Json & {
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Json>;
};

/** Every object inside a value, with where it stands. */
function* objects(value: unknown, at = '#'): Generator<[string, Json]> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [key, inner] of Object.entries(value)) yield* objects(inner, `${at}/${key}`);
}

function resolve(pointer: string): unknown {
  let found: unknown = document;
  for (const part of pointer.slice(2).split('/')) {
    found = (found as Json | undefined)?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}

describe('OpenAPI document', () => {
  test('is the one that is committed', () => {
    const committed = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'));
    expect(committed).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('is the one that is served', async () => {
    const served = (await (await fetch(`${server.url}${apiPrefix}/openapi.json`)).json()) as Json;
    // It names its own address.
    expect({ ...served, servers: null }).toEqual({ ...JSON.parse(JSON.stringify(document)), servers: null });
  });

  test('is shown as a page', async () => {
    const page = await fetch(`${server.url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Agora API</title>');
  });

  test('has the frame of OpenAPI 3.1', () => {
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\.\d$/), info: { title: 'Agora' } });
    expect((document.info as Json).version).toBe(packageVersion);
  });

  test.each(each)('%s stands in it with parameters, body, replies, errors and security', (id, row) => {
    const path = fullPath(row).replace(/:(\w+)/g, '{$1}');
    const entry = document.paths[path]?.[row.method.toLowerCase()] as Json;
    expect(entry?.operationId).toBe(id);
    const parameters = (entry.parameters as Json[]).map((each) =>
      '$ref' in each ? resolve(each.$ref as string) : each,
    );
    const inPath = (parameters as Json[]).filter((each) => each.in === 'path');
    expect(inPath.map((each) => each.name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    for (const each of inPath) expect(each.required).toBe(true);
    const inQuery = (parameters as Json[]).filter((each) => each.in === 'query').map((each) => each.name);
    expect(inQuery).toEqual(Object.keys(row.query?.shape ?? {}));
    expect(entry.requestBody !== undefined).toBe((row.body ?? row.rawBody ?? row.maxBytes) !== undefined);
    const responses = Object.fromEntries(
      Object.entries(entry.responses as Record<string, Json>).map(([status, each]) => [
        status,
        '$ref' in each ? (resolve(each.$ref as string) as Json) : each,
      ]),
    );
    const succeeding = successReplies(row).map((reply) => String(reply.status));
    const statuses = [...succeeding, ...errorsOf(row).map((code) => String(errors[code].status))];
    expect(new Set(Object.keys(responses))).toEqual(new Set(statuses));
    for (const code of errorsOf(row)) expect(responses[errors[code].status]?.description).toContain(code);
    for (const [status, response] of Object.entries(responses)) {
      const always = ['X-Correlation-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'];
      const special =
        Number(status) < 400
          ? (takesKey(row) && 'Idempotent-Replayed') || (isConditional(row) && 'ETag')
          : ['429', '503'].includes(status) && 'Retry-After';
      const ofEnd = deprecations([row]).length > 0 && Number(status) < 400 ? ['Deprecation', 'Sunset', 'Link'] : [];
      expect(Object.keys(response.headers as Json).toSorted()).toEqual(
        [...always, ...ofEnd, ...(special ? [special] : [])].toSorted(),
      );
      for (const named of Object.values(response.headers as Record<string, { $ref: string }>)) {
        expect(resolve(named.$ref)).toMatchObject({ description: expect.any(String), schema: expect.any(Object) });
      }
      if (Number(status) >= 400) {
        const { schema } = (response.content as Record<string, { schema: Json }>)['application/json'] ?? {};
        const codes = errorsOf(row).filter((code) => String(errors[code].status) === status);
        expect(schema).toMatchObject({
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        });
      }
      expect(response.description).toBeTypeOf('string');
      expect(response.content !== undefined, status).toBe(status !== '204' && status !== '304');
    }
    for (const requirement of entry.security as Json[]) {
      for (const scheme of Object.keys(requirement)) expect(document.components.securitySchemes).toHaveProperty(scheme);
    }
    expect((entry.security as Json[]).length > 0).toBe(row.auth !== 'public');
  });

  test('nothing that counts stands beside a reference, where many validators overwrite it', () => {
    const words = ['$ref', 'description', 'deprecated'];
    for (const [at, each] of objects(document)) {
      if ('$ref' in each)
        expect(
          Object.keys(each).filter((key) => !words.includes(key)),
          at,
        ).toEqual([]);
    }
  });

  test('every reference resolves, and every component is referred to', () => {
    const used = new Set<string>();
    for (const [at, each] of objects(document)) {
      if (typeof each.$ref !== 'string') continue;
      used.add(each.$ref);
      expect(resolve(each.$ref), `${each.$ref} at ${at}`).toBeTypeOf('object');
    }
    for (const kind of ['schemas', 'parameters', 'headers']) {
      for (const name of Object.keys(document.components[kind] ?? {})) {
        expect(used.has(`#/components/${kind}/${name}`), `${kind}/${name} is used`).toBe(true);
      }
    }
  });

  test('its schemas are JSON Schema of draft 2020-12, with nothing left over from their making', async () => {
    const { Ajv2020 } = await import('ajv/dist/2020.js');
    const { default: formats } = await import('ajv-formats');
    const ajv = new Ajv2020({ strict: false, validateFormats: true });
    (formats as unknown as (ajv: unknown) => void)(ajv);
    ajv.addSchema({ ...document, $id: 'agora:document' } as Json);
    for (const name of Object.keys(document.components.schemas ?? {})) {
      ajv.compile({ $ref: `agora:document#/components/schemas/${name}` });
    }
    for (const [at, each] of objects(document.paths)) {
      if (at.endsWith('/schema')) expect(ajv.validateSchema(each), at).toBe(true);
    }
    for (const [at, each] of objects(document)) {
      for (const leftover of ['$defs', '$schema', 'nullable']) {
        if (!at.endsWith('/properties')) expect(Object.keys(each), `${leftover} at ${at}`).not.toContain(leftover);
      }
    }
  });
});

test('the database knows the statuses of a task that the contract has, and no other', async () => {
  const { rows: stored } = await server.pool.query('select unnest(enum_range(null::task_status))::text as status');
  expect(stored.map(({ status }) => status).sort()).toEqual([...taskStatuses].sort());
});
