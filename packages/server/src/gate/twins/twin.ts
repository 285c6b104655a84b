/** A test file of the buyer's under another name, with other names of tests, and with tests of the gate's own. */
export interface TwinText {
  text: string;
  /** In names of its tests, and not in those of the original's. */
  added: string;
  sentinels: Sentinels;
}

/** Tests of the gate's own. Each has a word in its name that no other test has. */
export interface Sentinels {
  passing: string;
  /** By the assertions that the file uses, and by an exception. */
  failing: string[];
}

/** Words that nobody can foresee and that look like any other in a name. */
export type NewWord = () => string;

/** More kinds of assertion than this are not tried in one file. */
const maxAssertions = 6;

/** The calls that must fail, of those assertions that a text uses most. */
export function failingCalls(text: string, calls: Record<string, string>, used: RegExp): string[] {
  const counts = new Map<string, number>();
  for (const [, name] of text.matchAll(used)) {
    if (name !== undefined && calls[name] !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.slice(0, maxAssertions).map((name) => calls[name]!);
}

const consonants = 'bcdfghklmnprstvz';
const vowels = 'aeiou';

/** Five letters that can be spoken. */
export function spokenWord(random: (below: number) => number): string {
  const letter = (of: string) => of[random(of.length)]!;
  return [consonants, vowels, consonants, vowels, consonants].map(letter).join('');
}

/** A call with other numbers than it is written with, so that no work can know it by its values. */
export function varied(call: string, newWord: NewWord): string {
  const number = () => 10 + [...newWord()].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9_973, 7);
  const one = number();
  const two = one + number();
  return call.replace(/\b[12]\b/g, (digit) => `${digit === '1' ? one : two}`);
}
