import { Parser, type Result } from 'tap-parser';
import { maxTests, type ReportedTest, type TestStatus } from './test-result.ts';

/** What runners print where they write no report: of cargo, Go, ctest and TAP. */

export interface Printed {
  stdout: string;
  stderr: string;
}

const cargoStatuses: Record<string, TestStatus> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' };

/**
 * The programs that cargo starts, by the order in which it names them on stderr; each prints one block on stdout. Tests
 * of a unit stand in the work itself, so they have no file.
 */
const cargoProgram = /^ +(?:Running (?:unittests (\S+)|(\S+)) \(\S+\)|Doc-tests (\S+))$/gm;
const cargoLine = /^(?:running (\d{1,7}) tests?|test (.{1,1000}) \.\.\. (ok|FAILED|ignored)(?:,.*)?)$/gm;
/** Where a documentation test stands moves with each edit above it. */
const docLine = / \(line \d+\)/;

export function cargoTests({ stdout, stderr }: Printed): ReportedTest[] {
  const programs = [...stderr.matchAll(cargoProgram)].map(([, unit, file, crate]) => ({
    file: file ?? null,
    suite: unit ?? (crate === undefined ? '' : `doc-tests of ${crate}`),
  }));
  const tests: ReportedTest[] = [];
  let block = -1;
  let due = 0;
  const add = (name: string, status: TestStatus) => {
    const { file, suite } = programs[block] ?? { file: null, suite: `program ${block + 1}` };
    tests.push({ file, name: [suite, name].filter(Boolean).join(' > '), status, ms: null });
  };
  // A program that ends by itself never comes to the tests that it announced.
  const endBlock = () => {
    if (due > 0) add('', 'failed');
  };
  for (const [, announced, name, state] of stdout.matchAll(cargoLine)) {
    if (announced !== undefined) {
      endBlock();
      block += 1;
      due = Number(announced);
    } else if (tests.length < maxTests) {
      due -= 1;
      add(name!.replace(docLine, ''), cargoStatuses[state!]!);
    }
  }
  endBlock();
  return tests;
}

const goStatuses: Record<string, TestStatus> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' };

/** With `-v`: a test that begins, one that ends, perhaps after what the work printed, and the package whose these were. */
const goLine =
  /=== RUN +(\S{1,1000})$|--- (PASS|FAIL|SKIP): (\S{1,1000}) \(([\d.]{1,20})s\)$|^(ok|FAIL) *\t(\S{1,1000})(?:\t| \[(build|setup) failed\]).*$/gm;

/** Go names no files. A package that does not build is one test that fails, and so is a test that does not end. */
export function goTests({ stdout }: Printed): ReportedTest[] {
  const tests: ReportedTest[] = [];
  const begun = new Set<string>();
  let open: ReportedTest[] = [];
  const add = (name: string, status: TestStatus, ms: number | null) => open.push({ file: null, name, status, ms });
  for (const [, begins, state, name, seconds, ended, ofPackage, unbuilt] of stdout.matchAll(goLine)) {
    if (tests.length + open.length + begun.size >= maxTests) break;
    if (begins !== undefined) begun.add(begins);
    if (state !== undefined && begun.delete(name!)) add(name!, goStatuses[state]!, Number(seconds) * 1000);
    if (ended === undefined) continue;
    for (const each of begun) add(each, 'failed', null);
    // A program that ends by itself says that its package fails, and nothing of the tests that it has not come to.
    const fails = ended === 'FAIL' && (unbuilt !== undefined || open.every(({ status }) => status !== 'failed'));
    if (fails) add('', 'failed', null);
    for (const test of open) tests.push({ ...test, name: [ofPackage, test.name].filter(Boolean).join(' > ') });
    begun.clear();
    open = [];
  }
  return tests;
}

const ctestLine =
  /^ *\d+\/\d+ Test +#\d+: (\S{1,500}) \.+ *(?:\*\*\*)?(Passed|Failed|Not Run \(Disabled\)|Not Run|Skipped|Timeout|Exception)(?![\w])[^\n]*?(?: +([\d.]{1,20}) sec)?$/gm;
const ctestStatuses: Record<string, TestStatus> = {
  Passed: 'passed',
  Skipped: 'skipped',
  'Not Run (Disabled)': 'skipped',
};

export function ctestTests({ stdout }: Printed): ReportedTest[] {
  return [...stdout.matchAll(ctestLine)].slice(0, maxTests).map(([, name, state, seconds]) => ({
    file: null,
    name: name!,
    status: ctestStatuses[state!] ?? 'failed',
    ms: seconds === undefined ? null : Number(seconds) * 1000,
  }));
}

const hasTap = /^(?:TAP version \d+|(?:not )?ok\b)/m;

/** By name, for numbers move when a test is added. A point without a name has nothing but its number. */
export function tapTests(text: string): ReportedTest[] {
  if (!hasTap.test(text)) return [];
  const tests: ReportedTest[] = [];
  const parser = new Parser();
  const visit = (titles: readonly string[], inner: Parser) => {
    inner.on('child', (child: Parser) => visit([...titles, child.name].filter(Boolean), child));
    inner.on('assert', ({ ok, id, name, skip, todo, time }: Result) => {
      if (tests.length >= maxTests) return;
      const status = skip || todo ? 'skipped' : ok ? 'passed' : 'failed';
      tests.push({ file: null, name: [...titles, name || `${id}`].join(' > '), status, ms: time ?? null });
    });
  };
  visit([], parser);
  parser.end(text);
  return tests;
}
