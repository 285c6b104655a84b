import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { maxTests, type ReportedTest, type TestStatus } from './test-result.ts';

/** Deeper than any runner nests its suites. */
const maxDepth = 100;

const milliseconds = (seconds: string | undefined) => {
  const value = Number(seconds);
  return seconds === undefined || !Number.isFinite(value) ? null : value * 1000;
};

/** The text of .NET's durations: `00:00:01.2345678`. */
function millisecondsOf(duration: string | undefined) {
  const [, hours, minutes, seconds] = /^(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(duration ?? '') ?? [];
  return seconds === undefined ? null : ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

type Attributes = Record<string, string>;

/** Calls `open` and `close` for each element. Throws on text that is no XML, and on more than 100 levels. */
function walk(text: string, open: (tag: SaxesTagPlain, depth: number) => void, close: (name: string) => void): void {
  // Without entities of a document's own, nothing grows beyond the text.
  const parser = new SaxesParser();
  let depth = 0;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > maxDepth) throw new Error('the elements lie too deep');
    open(tag, depth);
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    close(name);
  });
  parser.write(text).close();
}

/**
 * JUnit XML, as pytest, ctest, meson, phpunit, Surefire and Gradle write it. A test without `file` gets that of its
 * suite; where there is none either, the class is part of the name.
 */
function junitTests(text: string): ReportedTest[] {
  const tests: ReportedTest[] = [];
  const files: (string | undefined)[] = [];
  let current: ReportedTest | null = null;
  const states: Record<string, TestStatus> = { failure: 'failed', error: 'failed', skipped: 'skipped' };
  walk(
    text,
    ({ name, attributes }) => {
      const given = attributes as Attributes;
      if (name === 'testsuite') files.push(given.file ?? files.at(-1));
      if (name === 'testcase') {
        const title = [given.classname, given.name].filter((part) => part !== undefined && part !== '');
        current = {
          file: given.file ?? files.at(-1) ?? null,
          name: title.join(' > '),
          status: given.status === 'disabled' || given.status === 'notrun' ? 'skipped' : 'passed',
          ms: milliseconds(given.time),
        };
      }
      const state = states[name];
      // A failure counts more than a remark that stands beside it.
      if (current !== null && state !== undefined && current.status !== 'failed') current.status = state;
    },
    (name) => {
      if (name === 'testsuite') files.pop();
      if (name !== 'testcase' || current === null) return;
      if (tests.length < maxTests) tests.push(current);
      current = null;
    },
  );
  return tests;
}

/** The results of .NET's test platform. */
function trxTests(text: string): ReportedTest[] {
  const tests: ReportedTest[] = [];
  const outcomes: Record<string, TestStatus> = {
    Passed: 'passed',
    Failed: 'failed',
    Error: 'failed',
    Timeout: 'failed',
  };
  walk(
    text,
    ({ name, attributes }) => {
      if (name !== 'UnitTestResult' || tests.length >= maxTests) return;
      const { testName = '', outcome = '', duration } = attributes as Attributes;
      tests.push({ file: null, name: testName, status: outcomes[outcome] ?? 'skipped', ms: millisecondsOf(duration) });
    },
    () => undefined,
  );
  return tests;
}

/** The tests of an XML report. Throws on one that is damaged, and on one of neither kind. */
export function xmlTests(text: string): ReportedTest[] {
  const [, root] = /<(?![?!])([A-Za-z]{1,40})/.exec(text.slice(0, 10_000)) ?? [];
  if (root === 'TestRun') return trxTests(text);
  if (root === 'testsuite' || root === 'testsuites') return junitTests(text);
  throw new Error('no report of tests');
}
