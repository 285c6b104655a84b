import { failingCalls, type NewWord, type TwinText, varied } from './twin.ts';

const tester = '(?<![.\\w$])(?:test|it|describe|suite|context|specify)(?:\\.(?:only|concurrent|sequential))*';
const titles = new RegExp(`(${tester}\\s*\\(\\s*['"\`])`, 'g');
const starts = /(?<![.\w$])(test|it|specify)(?:\.only)?\s*\(/;

/** What a file says of its own name, or keeps under the names of its tests. */
const tiedToNames = /[sS]napshot|__filename|import\.meta\.filename/;

/** Of node:assert and of chai. */
const ofAssert: Record<string, string> = {
  equal: '(1, 2)',
  strictEqual: '(1, 2)',
  deepEqual: '([1], [2])',
  deepStrictEqual: '([1], [2])',
  notEqual: '(1, 1)',
  notStrictEqual: '(1, 1)',
  ok: '(false)',
  isTrue: '(false)',
  isFalse: '(true)',
  throws: '(() => {})',
  match: "('a', /b/)",
  include: '([1], 2)',
};

/** Of Jest, Vitest and chai. */
const ofExpect: Record<string, string> = {
  toBe: 'expect(1).toBe(2)',
  toEqual: 'expect([1]).toEqual([2])',
  toStrictEqual: 'expect([1]).toStrictEqual([2])',
  toMatchObject: 'expect({ a: 1 }).toMatchObject({ a: 2 })',
  toBeTruthy: 'expect(0).toBeTruthy()',
  toBeFalsy: 'expect(1).toBeFalsy()',
  toBeNull: 'expect(1).toBeNull()',
  toBeUndefined: 'expect(1).toBeUndefined()',
  toBeDefined: 'expect(undefined).toBeDefined()',
  toContain: 'expect([1]).toContain(2)',
  toHaveLength: 'expect([1]).toHaveLength(2)',
  toMatch: "expect('a').toMatch(/b/)",
  toThrow: 'expect(() => {}).toThrow()',
  toBeGreaterThan: 'expect(0).toBeGreaterThan(1)',
  toBeLessThan: 'expect(1).toBeLessThan(0)',
  toBeCloseTo: 'expect(1).toBeCloseTo(2)',
  toHaveProperty: "expect({ a: 1 }).toHaveProperty('b')",
  'to.equal': 'expect(1).to.equal(2)',
  'to.deep.equal': 'expect([1]).to.deep.equal([2])',
  'to.eql': 'expect([1]).to.eql([2])',
  'to.throw': 'expect(() => {}).to.throw()',
  'to.include': 'expect([1]).to.include(2)',
};

const asMethods = Object.fromEntries(Object.entries(ofAssert).map(([name, call]) => [name, `assert.${name}${call}`]));
const asFunctions = Object.fromEntries(Object.entries(ofAssert).map(([name, call]) => [name, `${name}${call}`]));

function assertions(text: string): string[] {
  const methods = failingCalls(text, asMethods, /(?<![.\w$])assert\.(\w+)\s*\(/g);
  const matchers = failingCalls(text, ofExpect, /\)\.(to\w+|to(?:\.\w+){1,3})\s*\(/g);
  const named = /\bfrom ['"](?:node:)?assert|require\(['"](?:node:)?assert/.test(text)
    ? failingCalls(text, asFunctions, /(?<![.\w$])(\w+)\s*\(/g)
    : [];
  const plain = /(?<![.\w$])assert\s*\(/.test(text) ? ['assert(false)'] : [];
  return [...methods, ...named, ...matchers, ...plain];
}

/** Of assertions that are not known here. A test without any fails by an exception alone. */
const asserts = /\b(?:assert|expect|should)\b|(?<![.\w$])t\./;

/** Null for a file that is tied to its names, and one whose tests or assertions are not known. */
export function javascriptTwin(text: string, newWord: NewWord): TwinText | null {
  const start = starts.exec(text)?.[1];
  const failing = assertions(text).map((call) => ({ word: newWord(), call: varied(call, newWord) }));
  const isUnknown = failing.length === 0 && asserts.test(text);
  if (start === undefined || isUnknown || tiedToNames.test(text)) return null;
  const [word, passing, throwing] = [newWord(), newWord(), newWord()];
  const added = [
    `${start}('${passing}', () => {});`,
    ...failing.map((each) => `${start}('${each.word}', () => { ${each.call}; });`),
    `${start}('${throwing}', () => { throw new Error('${throwing}'); });`,
  ];
  return {
    text: `${text.replace(titles, `$1${word} `)}\n${added.join('\n')}\n`,
    sentinels: { passing, failing: [...failing.map((each) => each.word), throwing] },
    added: `${word} `,
  };
}
