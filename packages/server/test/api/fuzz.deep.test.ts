import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { allOperations, bodies, makeWorld, queryOf, send, type World, withBody } from './requests.ts';
import { serverForFile } from './scene.ts';

/**
 * Valid bodies with random mutations, 2,000 in all and the same ones in every run. What the server makes of them is
 * its business; a 5xx, an undeclared code, a reply out of shape or a broken ledger is not.
 */
const seed = 20_261_121;
const requests = 2000;
const cost: Record<string, number> = { 'auth.signUp': 6, 'auth.signIn': 6, 'sandbox.exec': 3 };

const server = serverForFile();
let world: World;
beforeAll(async () => {
  world = await makeWorld(server);
});

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '../../etc/passwd',
    "'; drop table tasks; --",
    '{{7*7}}',
    'NaN',
    '🎉',
  ),
  fc.constantFrom<unknown>(0, -0, -1, 0.1, 1e21, 2 ** 31, 2 ** 53, -(2 ** 63), 1_000_000_000),
  fc.constantFrom<unknown>(null, true, [], {}, [[]], [null], { a: undefined }, { length: 1e9 }, { toString: 1 }),
);
const mutation = fc.record({
  path: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
  act: fc.constantFrom('replace', 'remove', 'add', 'nest'),
  value: odd,
  key: fc.oneof(
    fc.string(),
    fc.constantFrom('toString', 'valueOf', 'hasOwnProperty', 'then', 'id', 'status', 'ownerId'),
  ),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never;

/** Walks down as far as the path leads, and changes what is found there. */
function mutate(root: unknown, { path, act, value, key }: Mutation): unknown {
  if (root === null || typeof root !== 'object' || path.length === 0) return act === 'nest' ? [root] : value;
  const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const at = keys[(path[0] as number) % Math.max(1, keys.length)];
  if (act === 'add' && path.length === 1) copy[Array.isArray(root) ? keys.length : key] = value;
  else if (at === undefined) return value;
  else if (act === 'remove' && path.length === 1) delete copy[at];
  else copy[at] = mutate(copy[at], { path: path.slice(1), act, value, key });
  return copy;
}

test.each(withBody.map((row) => [row.id, row] as const))(
  '%s survives mutated bodies',
  async (id, row) => {
    const runs = Math.floor(requests / withBody.length / (cost[id] ?? 1));
    const property = fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      const body = mutations.reduce<unknown>((current, each) => mutate(current, each), bodies[id]?.(world));
      const { status, text } = await send(row, world, { body: JSON.stringify(body) ?? 'null' });
      // Sandboxes may be refused while one is being replaced; nothing else of ours may fail.
      expect(status === 503 ? JSON.parse(text).error.code : status < 500).toBe(
        status === 503 ? 'SANDBOX_UNAVAILABLE' : true,
      );
    });
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
  },
  60_000,
);

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The whole numbers at the top of a schema, each with the largest that it takes. */
const largestIn = (schema: z.ZodObject | undefined): [name: string, largest: number][] =>
  Object.entries(schema === undefined ? {} : (z.toJSONSchema(schema).properties as Record<string, JsonSchema>)).flatMap(
    ([name, field]) =>
      [field, ...(field.anyOf ?? [])].flatMap(({ type, maximum }) =>
        type === 'integer' ? [[name, maximum as number]] : [],
      ),
  );

test.each(
  allOperations
    .map((row) => ({ row, inBody: largestIn(row.body), inQuery: largestIn(row.query) }))
    .filter(({ inBody, inQuery }) => inBody.length + inQuery.length > 0)
    .map((each) => [each.row.id, each] as const),
)('%s survives the largest of each of its numbers', async (id, { row, inBody, inQuery }) => {
  const own = queryOf(row, world);
  const sent = [
    ...inBody.map(([name, largest]) => ({
      body: JSON.stringify({ ...(bodies[id]?.(world) as object), [name]: largest }),
    })),
    ...inQuery.map(([name, largest]) => ({ query: `${own}${own === '' ? '?' : '&'}${name}=${largest}` })),
  ];
  for (const each of sent) expect([each, (await send(row, world, each)).status < 500]).toEqual([each, true]);
});
