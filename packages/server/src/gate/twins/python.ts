import { failingCalls, type NewWord, type TwinText, varied } from './twin.ts';

/** What a file says of its own name, or keeps under the names of its tests. */
const tiedToNames = /snapshot|request\.node|self\.id\(/;

/** Of unittest. */
const ofTestCase: Record<string, string> = {
  assertEqual: '(1, 2)',
  assertNotEqual: '(1, 1)',
  assertTrue: '(False)',
  assertFalse: '(True)',
  assertIn: '(2, [1])',
  assertNotIn: '(1, [1])',
  assertIs: '(1, None)',
  assertIsNone: '(1)',
  assertIsNotNone: '(None)',
  assertIsInstance: '([], dict)',
  assertGreater: '(0, 1)',
  assertLess: '(1, 0)',
  assertAlmostEqual: '(1, 2)',
  assertListEqual: '([1], [2])',
  assertDictEqual: '({1: 1}, {1: 2})',
  assertCountEqual: '([1], [2])',
  assertRaises: '(ValueError, lambda: None)',
  assertRegex: "('a', 'b')",
};

const asMethods = Object.fromEntries(Object.entries(ofTestCase).map(([name, call]) => [name, `self.${name}${call}`]));

/** Where a program begins that runs the tests, if the file is one. */
const program = /^if __name__ ==/m;

/** The gate's own tests go before it, because what follows it comes too late. */
function withSentinels(text: string, added: string): string {
  const at = program.exec(text)?.index ?? text.length;
  return `${text.slice(0, at)}\n\n${added}\n\n${text.slice(at)}`;
}

const named = (name: string, body: string, indent = '', args = '') =>
  `${indent}def test_${name}(${args}):\n${indent}    ${body}`;

/** Functions of tests that nothing else in the file refers to get other names. */
function renamed(text: string, word: string): string {
  const counts = new Map<string, number>();
  for (const [name] of text.matchAll(/\btest\w*/g)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return text.replace(/\bdef (test\w*)\(/g, (all, name: string) =>
    counts.get(name) === 1 ? `def ${name}_${word}(` : all,
  );
}

/** Null for a file that is tied to its names. */
export function pythonTwin(text: string, newWord: NewWord): TwinText | null {
  if (tiedToNames.test(text) || !/\bdef test/.test(text)) return null;
  const [word, passing, throwing] = [newWord(), newWord(), newWord()];
  const isUnittest = /\bTestCase\b/.test(text);
  const calls = isUnittest
    ? failingCalls(text, asMethods, /\bself\.(assert\w+)\(/g)
    : ['assert 1 == 2', ...(/\bpytest\.raises\(/.test(text) ? ['with pytest.raises(ValueError): pass'] : [])];
  if (calls.length === 0) return null;
  const failing = calls.map((call) => ({ word: newWord(), call: varied(call, newWord) }));
  const raising = `raise ValueError("${throwing}")`;
  const functions = (indent: string, args: string) =>
    [
      named(passing, 'assert True', indent, args),
      ...failing.map((each) => named(each.word, each.call, indent, args)),
      named(throwing, raising, indent, args),
    ].join('\n\n');
  const owner = newWord();
  const added = isUnittest
    ? `import unittest as ${owner}\n\n\nclass Test_${owner}(${owner}.TestCase):\n${functions('    ', 'self')}`
    : functions('', '');
  return {
    text: withSentinels(renamed(text, word), added),
    sentinels: { passing, failing: [...failing.map((each) => each.word), throwing] },
    added: `_${word}`,
  };
}
