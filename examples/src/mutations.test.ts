import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { apply, candidatesIn } from './mutations.ts';
import { isTestPath } from './project-tests.ts';
import { codeOf, functionsOf, localImports } from './source-code.ts';
import { findSuspects } from './suspects.ts';
import { parseTap } from './test-report.ts';

describe('reading test reports', () => {
  it('takes name, values and places of a failure, in suites too, and counts tests rather than suites', () => {
    const report = parseTap(`TAP version 13
# Subtest: outer
    # Subtest: inner
    not ok 1 - inner
      ---
      duration_ms: 1
      location: '/workspace/test/a.test.js:5:3'
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:

        1 !== 2

      expected: 2
      actual: 1
      stack: |-
        TestContext.<anonymous> (file:///workspace/test/a.test.js:6:10)
        f (file:///workspace/src/a.js:2:1)
      ...
    ok 2 - left out # SKIP
      ---
      duration_ms: 1
      ...
    1..2
not ok 1 - outer
  ---
  type: 'suite'
  failureType: 'subtestsFailed'
  ...
ok 2 - another
  ---
  type: 'suite'
  ...
1..2
`);
    expect(report).toEqual({
      passed: 1,
      failures: [
        {
          name: 'inner',
          error: 'Expected values to be strictly equal: 1 !== 2',
          expected: '2',
          actual: '1',
          places: [
            { path: '/workspace/test/a.test.js', line: 6 },
            { path: '/workspace/src/a.js', line: 2 },
            { path: '/workspace/test/a.test.js', line: 5 },
          ],
        },
      ],
    });
  });

  it('a report cut short counts what it has', () => {
    expect(parseTap('ok 1 - a\nnot ok 2 - b\n  ---\n  error: |-')).toMatchObject({
      passed: 1,
      failures: [{ name: 'b' }],
    });
  });
});

describe('reading sources', () => {
  const source = `import { a } from './a.js'; // 1 < 2
export { b } from "../b.js";
const text = 'x < y' + \`\${1 + 1}\`;
const pattern = /[/<]+'/g;
export function f(list, n = 1) {
  if (list.length < n) { return list.map((x) => x * 2); }
}
const g = (x) => x > 3;
class C { #m() { return 4 / 2 / 1; } }
`;

  it('sees no operator in strings, templates, comments and regular expressions', () => {
    const code = codeOf(source);
    expect(code).toHaveLength(source.length);
    expect(code.match(/</g)).toHaveLength(1);
    expect(code).toContain('4 / 2 / 1');
    expect(code).not.toContain("'");
  });

  it('finds functions, methods, arrow functions and imports', () => {
    const code = codeOf(source);
    expect(functionsOf(code).map(({ name, start, end }) => [name, code.slice(start, end).trim().slice(-3)])).toEqual([
      ['f', '}\\n}'.replace('\\n', '\n')],
      ['#m', '; }'],
      ['g', '> 3'],
    ]);
    expect(localImports(source)).toEqual(['./a.js', '../b.js']);
  });

  it('reads files as require finds them, and suspects first what the test is called after', async () => {
    const files: Record<string, string> = {
      '/w/test/a.test.js': "const a = require('..');",
      '/w/index.js': "const { decodeParts } = require('./lib/decoder');\nfunction other () { return 1 }",
      '/w/lib/decoder.js': 'function decodeParts () { return 2 }',
    };
    const failure = { error: '', expected: null, actual: null, places: [{ path: '/w/test/a.test.js', line: 1 }] };
    const { suspects, sources } = await findSuspects(
      [{ ...failure, name: 'parts of an address are decoded' }],
      isTestPath,
      async (path) => files[path] ?? null,
    );
    expect([...sources.keys()].sort()).toEqual(Object.keys(files).sort());
    expect(suspects.filter(({ distance }) => distance === 0)).toEqual([]);
    const named = await findSuspects(
      [{ ...failure, name: 'decode all parts' }],
      isTestPath,
      async (path) => files[path] ?? null,
    );
    expect(named.suspects.filter(({ distance }) => distance === 0)).toMatchObject([{ path: '/w/lib/decoder.js' }]);
  });

  it('proposes edits of code alone, boundaries first and nearer ones before others, each of one token', () => {
    const path = '/workspace/s.js';
    const at = source.indexOf('export function f');
    const near = { path, start: at, end: at + 90, distance: 1 };
    const rest = { path, start: 0, end: source.length, distance: 1000 };
    const candidates = candidatesIn([near, rest], new Map([[path, source]]));
    const [first] = candidates;
    expect(first).toMatchObject({ kind: 'boundary', from: '<', to: '<=', line: 6, distance: 1 });
    expect(apply(source, first!)).toBe(source.replace('list.length < n', 'list.length <= n'));
    expect(candidates.filter((one) => one.line < 5).map((one) => one.from)).toEqual(['+']);
    expect(candidates.some((one) => one.from === '=>' || one.from === '=')).toBe(false);
  });
});

it('the agent knows nothing of the project it is shown with', async () => {
  for (const file of ['fixer-agent', 'repair', 'mutations', 'suspects', 'source-code', 'test-report']) {
    expect(await readFile(new URL(`./${file}.ts`, import.meta.url), 'utf8')).not.toMatch(/bulk|pricing|\bcart\b/i);
  }
});
