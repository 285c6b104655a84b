import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOf, scan } from './scan.ts';

function changedNumber(text: string): string | null {
  const { excess, changed } = scan(text);
  expect(excess).toBeNull();
  return changed && pathOf(changed);
}

test.each([
  ['1e400', 'infinity'],
  ['-1E+400', 'infinity'],
  ['9'.repeat(400), 'infinity'],
  [`1${'0'.repeat(250)}e99`, 'infinity'],
  ['1e0000400', 'infinity'],
  ['12345678901234567890', 'other digits'],
  ['-9007199254740993', 'other digits'],
  ['1e-400', 'zero'],
])('%s would become %s, and is named wherever it stands', (number) => {
  expect(changedNumber(number)).toBe('');
  expect(changedNumber(`{"a":"x,\\"{[","b\\"":[{"c":{}},["\\\\", "d" , ${number}, "]"]],"e":1}`)).toBe('b".1.2');
  expect(changedNumber(`[[],{} ,{"a":[1,2],"b" : ${number}}]`)).toBe('2.b');
  expect(changedNumber(`{"a"\r\n:\r\n${number}\r\n}`)).toBe('a');
});

test.each(['9007199254740992', '-0', '0e400', '1e308', '0.12345678901234567890', '1763739325000000000', '1e21'])(
  '%s is taken',
  (number) => {
    expect(changedNumber(`{"a":${number}}`)).toBeNull();
  },
);

test('digits in a string are text', () => {
  expect(changedNumber('{"1e400":"12345678901234567890 \\\\","b":"\\"1e400, 1e400"}')).toBeNull();
});

test('what JSON.stringify writes is never refused', () => {
  const value = fc.jsonValue();
  fc.assert(fc.property(value, fc.double(), (json, number) => changedNumber(JSON.stringify([json, number])) === null));
});

test('of random JSON exactly the spoiled place is named', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');
  fc.assert(
    fc.property(
      fc.array(fc.oneof(key, fc.nat(4)), { minLength: 1 }),
      fc.jsonValue(),
      fc.nat(3),
      (path, json, indent) => {
        const spoiled = path.reduceRight<unknown>(
          (inner, at) => (typeof at === 'number' ? [...Array(at).fill(json), inner, json] : { '': json, [at]: inner }),
          'SPOILED',
        );
        fc.pre(!JSON.stringify([path, json]).includes('SPOILED'));
        const text = JSON.stringify(spoiled, null, indent).replace('"SPOILED"', '1e999');
        expect(changedNumber(text)).toBe(path.join('.'));
      },
    ),
  );
});
