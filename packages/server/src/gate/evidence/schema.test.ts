import { describe, expect, test } from 'vitest';
import { check, expectNotRun } from '../../../test/support/gate/schema.ts';
import { schemaEvidence } from './schema.ts';

describe('the schema criterion', () => {
  const total = { type: 'object', required: ['total'], properties: { total: { type: 'integer' } } };

  test('a result that fits scores 100, one that does not scores 0 and says where', async () => {
    expect(await check(total, { total: 4 })).toMatchObject({ kind: 'schema', score: 100 });
    const misfit = await check(total, { total: 'four' });
    expect(misfit).toMatchObject({ score: 0, evidence: 'output.result/total must be integer' });
  });

  test('an output without a result does not fit', async () => {
    expect(await schemaEvidence(total, { text: 'done' })).toMatchObject({ score: 0 });
    expect(await schemaEvidence(total, null)).toMatchObject({ score: 0 });
  });

  test.each([
    ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] }],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'string' }] }],
    ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
    ['draft-06', { $schema: 'http://json-schema.org/draft-06/schema#', items: [{ type: 'string' }] }],
  ])('%s is understood by its own rules', async (_draft, schema) => {
    expect((await check(schema, ['a'])).score).toBe(100);
    expect((await check(schema, [1])).score).toBe(0);
  });

  test('formats are checked', async () => {
    expect((await check({ format: 'email' }, 'nobody')).score).toBe(0);
    expect((await check({ format: 'email' }, 'a@example.com')).score).toBe(100);
  });

  test.each([
    ['a remote reference', { $ref: 'https://example.com/schema.json' }],
    ['a pattern that does not parse', { pattern: '(' }],
    ['a schema that is its own reference', { $ref: '#' }],
  ])('%s is not run, and is never held against the agent', (_name, schema) => expectNotRun(schema));

  test('a loop that only some results come to is not held against the agent who comes to it', async () => {
    const $defs = { loop: { if: { not: { type: 'string', minLength: 4 } }, else: { $ref: '#/$defs/loop' } } };
    const schema = { $defs, properties: { a: { $ref: '#/$defs/loop' } } };
    expect((await check(schema, { a: 'abc' })).score).toBe(100);
    const finding = await check(schema, { a: 'abcd' });
    expect(finding.score).toBeNull();
    expect(finding.evidence).toMatch(/lead back to themselves/);
  });

  test('names and values that look like code stay text', async () => {
    const code = '`"];process.exit(9);//';
    const schema = {
      properties: { [code]: { const: code } },
      required: [code],
    };
    expect((await check(schema, { [code]: code })).score).toBe(100);
    expect((await check(schema, { [code]: 'other' })).score).toBe(0);
  });

  test('a result named after the prototype is data like any other', async () => {
    const schema = { type: 'object', required: ['constructor'] };
    expect((await check(schema, {})).score).toBe(0);
    expect((await check(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), {})).score).toBe(100);
  });
});
