import { expect, test } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { testsBehind } from './reached-tests.mjs';

const module = (file: string, ...imported: string[]) => [file, imported.map((to) => ({ to }))] as const;

const modules = new Map([
  module('a/rule.ts'),
  module('a/index.ts', 'a/rule.ts'),
  module('app.ts', 'a/index.ts', 'b/index.ts'),
  module('b/index.ts', 'app.ts'),
  module('a/rule.test.ts', 'a/rule.ts'),
  module('test/app.test.ts', 'app.ts'),
  module('b/b.test.ts', 'b/index.ts'),
  module('test/chaos.deep.test.ts', 'app.ts'),
  module('test/other.test.ts', 'test/other.ts'),
]);

test('a change reaches the tests that import it, directly or not, the nearest first and no deep one', () => {
  expect(testsBehind(modules, ['a/rule.ts'])).toEqual(['a/rule.test.ts', 'test/app.test.ts', 'b/b.test.ts']);
});

test('of equally near tests those in the folder of the change come first', () => {
  const alike = new Map([module('x/y.ts'), module('a.test.ts', 'x/y.ts'), module('x/z.test.ts', 'x/y.ts')]);
  expect(testsBehind(alike, ['x/y.ts'])).toEqual(['x/z.test.ts', 'a.test.ts']);
});

test('a test that changed is reached itself', () => {
  expect(testsBehind(modules, ['test/other.test.ts', 'README.md'])).toEqual(['test/other.test.ts']);
});
