import { describe, expect, test } from 'vitest';
import { check, expectNotRun, nested } from '../../../test/support/gate/schema.ts';
import { schemaEvidence } from './schema.ts';

describe('a hostile schema', () => {
  test.each([
    ['a file reference', { $ref: 'file:///etc/passwd' }],
    ['a schema that is none', { type: 'nonsense' }],
    ['an unknown draft', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['an asynchronous schema', { $async: true, type: 'object' }],
    ['a schema nested without end', { not: nested(10_000) }],
    ['an oversized schema', { enum: ['x'.repeat(70_000)] }],
    [
      'a recursive reference to itself',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', $recursiveRef: '#' },
    ],
    ['a dynamic reference to itself', { $dynamicRef: '#x' }],
    ['a reference to itself by name', { $id: 'x', $ref: 'x' }],
    ['an alternative that is the whole again', { anyOf: [{ type: 'object' }, { $ref: '#' }] }],
    ['a property that is its own reference', { properties: { a: { $ref: '#/properties/a' } } }],
  ])('%s is not run, and is never held against the agent', (_name, schema) => expectNotRun(schema));

  test('a pattern that backtracks without end is cut off and does not hold up the event loop', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 10);
    const caps = { startMs: 30_000, compileMs: 3_000, validateMs: 300 };
    const finding = await schemaEvidence({ pattern: '^(a+)+$' }, { result: `${'a'.repeat(60)}!` }, caps);
    clearInterval(ticking);
    expect(finding).toMatchObject({ score: 0, evidence: expect.stringContaining('took too long') });
    expect(turns).toBeGreaterThan(5);
  });

  test('a schema that references itself over a deep result ends', async () => {
    const tree = { type: 'array', items: { $ref: '#' } };
    expect((await check(tree, nested(200))).score).toBe(0);
    expect((await check(tree, nested(100_000))).score).toBe(0);
  });

  test.each([
    ['work', 'allOf', 'x'],
    ['memory', 'anyOf', 1],
  ])(
    'a schema whose references double at every level until they eat all %s ends its own thread, not the delivery',
    async (_what, keyword, result) => {
      const $defs: Record<string, unknown> = { d60: { type: 'string' } };
      for (let level = 0; level < 60; level += 1) {
        const next = { $ref: `#/$defs/d${level + 1}` };
        $defs[`d${level}`] = { [keyword]: [next, next] };
      }
      for (const schema of [
        { $defs, $ref: '#/$defs/d0' },
        { $defs, properties: { a: { $ref: '#/$defs/d0' } } },
      ]) {
        const finding = await check(schema, { a: result });
        expect(finding.score).toBeNull();
        expect(finding.evidence).toMatch(/took too long|broke off/);
      }
    },
  );
});
