import { posix } from 'node:path';
import type { TestWishes } from '@agora-market/contract';
import type { TestResult } from './test-result.ts';

/** Whether a pattern of the buyer's means a test. */
export type Matcher = (test: Pick<TestResult, 'id' | 'file'>) => boolean;

/** Between the file and the title of a test. */
const between = ' > ';

/** Whether a text is the parts in their order, with anything between two; in one walk, because others chose both. */
function isJoined(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const until = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > until) return false;
    at = found + part.length;
  }
  return true;
}

/** `file > title`, in which `*` stands for anything, or a glob of files. */
export function matcherOf(pattern: string): Matcher {
  if (pattern.includes(between)) {
    const parts = pattern.split('*');
    return ({ id }) => id === pattern || isJoined(id, parts);
  }
  const known = new Map<string, boolean>();
  return ({ file }) => {
    if (file === null) return false;
    const found = known.get(file) ?? posix.matchesGlob(file, pattern);
    known.set(file, found);
    return found;
  };
}

/** Whether any of the patterns means a test; none does where there are none. */
export function anyOf(patterns: readonly string[] = []): Matcher {
  const matchers = patterns.map(matcherOf);
  return (test) => matchers.some((matches) => matches(test));
}

/** The buyer's wishes, whatever shape they have in stored input. */
export function readTestWishes(value: Record<string, unknown> | null): TestWishes {
  const patterns = (name: keyof TestWishes) => {
    const given = value?.[name];
    const texts = Array.isArray(given) ? given.filter((each) => typeof each === 'string') : [];
    return texts.length === 0 ? {} : { [name]: texts };
  };
  return { ...patterns('mayChange'), ...patterns('mustPass'), ...patterns('mayFail') };
}
