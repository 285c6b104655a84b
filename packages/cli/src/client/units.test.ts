import { expect, test } from 'vitest';
import {
  approvalStatuses,
  availabilities,
  categories,
  feedbackFilters,
  frameworks,
  messageKinds,
  statusGroups,
  taskFailures,
  taskOrders,
  taskStatuses,
  taskTypes,
  totalsBy,
  trustTiers,
} from '../../../contract/src/index.ts';
import { money, safe, safeLine, table, toJson } from '../print.ts';
import * as choices from './choices.ts';
import { placeOf } from './delivery.ts';

test('a table that is too wide for its terminal has each row below one another, in lines that fit', () => {
  const rows = [['AGORA_DATA_DIR', './.agora', 'Where all data is kept: the database, workspaces, artifacts and keys']];
  const text = table(['setting', 'value', 'what it is for'], rows, 60);
  expect(text.split('\n').every((line) => line.length <= 60)).toBe(true);
  expect(text).toMatch(/^setting +AGORA_DATA_DIR\nvalue +\.\/\.agora\nwhat it is for {2}Where/);
  expect(table(['setting', 'value'], [['PORT', '4000']], 60)).toBe('setting  value\nPORT     4000');
});

test('choices are those of the contract', () => {
  expect({ ...choices }).toEqual({
    approvalStatuses,
    availabilities,
    categories,
    feedbackFilters,
    frameworks,
    messageKinds,
    statusGroups,
    taskFailures,
    taskOrders,
    taskStatuses,
    taskTypes,
    totalsBy,
    trustTiers,
  });
});

test.each(['../x', 'a/../../x', '/etc/passwd', 'a//b', '.', './x', 'a\\..\\x', 'C:x', 'a\u0000b', 'a\nb', ''])(
  'a delivered file named %j is refused',
  (path) => {
    expect(() => placeOf('/tmp/out', path)).toThrow(/unsafe name/);
  },
);

test('other names are a place below files/', () => {
  expect(placeOf('/tmp/out', 'a/b..c/…/d e')).toBe('/tmp/out/files/a/b..c/…/d e');
});

test('text of strangers loses what moves a terminal, and keeps what people read', () => {
  expect(safe('a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\u202ee\rf\bg')).toBe('abcdefg');
  expect(safe('Zeile\n\tÄ 漢字 👩‍👩‍👧')).toBe('Zeile\n\tÄ 漢字 👩‍👩‍👧');
  expect(safeLine('one\n  two', 6)).toBe('one t…');
});

test('JSON has no raw control character, and means the same', () => {
  const value = { a: 'x\u001b\u009b\u007f\u202e\u2028y' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  expect(toJson(value)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]/);
  expect(JSON.parse(toJson(value))).toEqual(value);
});

test('money and tables', () => {
  expect([money(0), money(1234), money(-5), money(null)]).toEqual(['$0.00', '$12.34', '-$0.05', '–']);
  expect(
    table(
      ['a', 'b'],
      [
        ['x', null],
        ['long', 1],
      ],
    ),
  ).toBe('a     b\nx     –\nlong  1');
});
