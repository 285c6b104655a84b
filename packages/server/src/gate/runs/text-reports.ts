import { Parser, type Result } from 'tap-parser';
import { maxTests, type ReportedTest, type TestStatus } from './test-result.ts';

/** What runners print where they write no report: of cargo, ctest and TAP. */

export interface Printed {
  stdout: string;
  stderr: string;
}

const cargoStatuses: Record<string, TestStatus> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' };

/** The programs that cargo starts, by the order in which it names them on stderr; each prints one block on stdout. */
const cargoProgram = /^ +(?:Running (?:unittests )?(\S+) \(\S+\)|Doc-tests (\S+))$/gm;
const cargoLine = /^(?:running (\d{1,7}) tests?|test (.{1,1000}) \.\.\. (ok|FAILED|ignored)(?:,.*)?)$/gm;
/** Where a documentation test stands moves with each edit above it. */
const docLine = / \(line \d+\)/;

export function cargoTests({ stdout, stderr }: Printed): ReportedTest[] {
  const programs = [...stderr.matchAll(cargoProgram)].map(([, source, crate]) => source ?? `doc-tests of ${crate}`);
  const tests: ReportedTest[] = [];
  let block = -1;
  let due = 0;
  const file = () => programs[block] ?? `program ${block + 1}`;
  // A program that ends by itself never comes to the tests that it announced.
  const endBlock = () => {
    if (due > 0) tests.push({ file: file(), name: '', status: 'failed', ms: null });
  };
  for (const [, announced, name, state] of stdout.matchAll(cargoLine)) {
    if (announced !== undefined) {
      endBlock();
      block += 1;
      due = Number(announced);
    } else if (tests.length < maxTests) {
      due -= 1;
      tests.push({ file: file(), name: name!.replace(docLine, ''), status: cargoStatuses[state!]!, ms: null });
    }
  }
  endBlock();
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
