import { expect, test } from 'vitest';
import { tsvCell } from './copy-cells.ts';

test('a cell stands in one line', () => {
  expect(tsvCell(' two\n\tlines ')).toBe('two lines');
});

test('a name that a spreadsheet would run is text there, and an amount stays one', () => {
  const names = ['=HYPERLINK("x")', '@SUM(1)', '+1+cmd|x', '-1+cmd|x', '＝1+1', '+', '－a'];
  expect(names.map(tsvCell)).toEqual(names.map((name) => `'${name}`));
  const plain = ['−$3.00', '+$12.34', '-12', '+1,000.50', '$1.00', 'a=b', '-€5'];
  expect(plain.map(tsvCell)).toEqual(plain);
});
