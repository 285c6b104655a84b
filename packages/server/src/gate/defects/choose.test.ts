import { expect, test } from 'vitest';
import { chooseDefects, rewritten } from './choose.ts';

const file = (path: string, text: string) => ({ path, content: Buffer.from(text) });
const job = { texts: [], tests: [], seed: 'one', most: 20 };

const prices = `# Prices
def net(price, rate):
    """Below 0 is 0."""
    if rate < 0 and price != 5:
        return 0
    return price + 1
`;

test('each defect changes one line of a program, and no test, data or document', () => {
  const files = [
    file('prices.py', prices),
    file('test_prices.py', 'assert 1 < 2\n'),
    file('kept.py', 'assert 1 < 2\n'),
    file('data.json', '{ "a": 1 }\n'),
    file('node_modules/x/index.js', 'a = b + 1;\n'),
  ];
  const { defects } = chooseDefects(files, { ...job, tests: ['kept.py'] });
  expect(new Set(defects.map(({ path }) => path))).toEqual(new Set(['prices.py']));
  for (const { text } of defects) {
    const changed = text.split('\n').filter((line, at) => line !== prices.split('\n')[at]);
    expect(changed).toHaveLength(1);
    expect(changed[0]).not.toMatch(/#|"""/);
  }
  // One of a line.
  expect(defects).toHaveLength(3);
});

test('a seed decides which, and what the tests name comes first', () => {
  const many = file(
    'many.js',
    Array.from({ length: 40 }, (_, nth) => `function f${nth}(a) {\n  return a + 1;\n}\n`).join(''),
  );
  const chosen = (seed: string, texts: string[] = []) =>
    chooseDefects([many], { ...job, most: 4, seed, texts }).defects.map(({ text }) => text);
  expect(chosen('a')).toEqual(chosen('a'));
  expect(chosen('a')).not.toEqual(chosen('b'));
  const [first] = chosen('a', ['assert.equal(f17(1), 2)']);
  expect(first).toMatch(/function f17\(a\) \{\n {2}return a \+ 2;/);
});

test('a program that is written otherwise does the same', () => {
  const { remarked, rewritten: others } = rewritten([{ path: 'prices.py', text: prices }], () => 'word');
  expect(remarked[0]?.text).toBe(`${prices}\n# word\n`);
  expect(others[0]?.text).toBe(`# Prices
# word
def net(price, rate):
    """Below 0 is 0."""
    if rate <  0 and price != 5:
        return  0
    return price +  1

# word
`);
});
