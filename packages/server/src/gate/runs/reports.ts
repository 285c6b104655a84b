import { parseRecord } from '../reading/parse-record.ts';
import { fileIn, identify, maxTests, type ReportedTest, type TestResult, type TestStatus } from './test-result.ts';
import { cargoTests, ctestTests, goTests, type Printed, tapTests } from './text-reports.ts';
import { xmlTests } from './xml-reports.ts';

/** What a command left in `$AGORA_REPORT`, or where its runner always writes. */
export interface ReportFile {
  path: string;
  text: string;
}

export interface RunReport extends Printed {
  files: readonly ReportFile[];
  /** Where the command ran. */
  directory?: string;
}

const statuses: Record<string, TestStatus> = { passed: 'passed', failed: 'failed', skipped: 'skipped' };
const textOr = <T>(value: unknown, other: T) => (typeof value === 'string' ? value : other);
const numberOrNull = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** More settings and plug-ins than any run of tests has. */
const maxSteering = 1_000;

/** Of the gate's own reporters. A line that is none is left out: its test is missing then. */
function* lineTests(text: string): Generator<ReportedTest> {
  for (const line of text.split('\n')) {
    const { file, name, status, ms } = parseRecord(line) ?? {};
    const known = statuses[textOr(status, '')];
    if (typeof name === 'string' && known)
      yield { file: textOr(file, null), name, status: known, ms: numberOrNull(ms) };
  }
}

/** RSpec's own JSON. */
function* rspecTests(text: string): Generator<ReportedTest> {
  const examples = parseRecord(text)?.examples;
  for (const each of Array.isArray(examples) ? examples : []) {
    const {
      file_path: file,
      full_description: name,
      status,
      run_time: seconds,
    } = Object(each) as Record<string, unknown>;
    const ms = numberOrNull(seconds);
    const known = statuses[textOr(status, '')] ?? 'skipped';
    if (typeof name === 'string') {
      yield { file: textOr(file, null), name, status: known, ms: ms === null ? null : ms * 1000 };
    }
  }
}

/** The files that runners name as steering them, in the order of their paths. */
export function steeringFiles({ files, directory }: Pick<RunReport, 'files' | 'directory'>): string[] {
  const found = new Set<string>();
  const add = (file: string) => {
    const path = fileIn(file, directory);
    if (path !== null && found.size < maxSteering) found.add(path);
  };
  for (const { path, text } of files) {
    if (path.endsWith('.steers')) for (const line of text.split('\n')) if (line !== '') add(line);
    if (!path.endsWith('.jsonl')) continue;
    for (const line of text.split('\n')) {
      const steers = line.startsWith('{"steers"') ? parseRecord(line)?.steers : null;
      if (typeof steers === 'string') add(steers);
    }
  }
  return [...found].sort();
}

function testsOf({ path, text }: ReportFile): Iterable<ReportedTest> {
  if (path.endsWith('.jsonl')) return lineTests(text);
  if (path.endsWith('.steers')) return [];
  if (path.endsWith('.json')) return rspecTests(text);
  if (/\.(?:xml|trx)$/.test(path)) return xmlTests(text);
  return tapTests(text);
}

/**
 * The tests that a run reports, in the order of its files. What is printed counts only where no file names a test, for
 * a runner that does both would count twice. A damaged report has no tests.
 */
export function reportedTests({ files, directory, ...printed }: RunReport): TestResult[] {
  const tests: ReportedTest[] = [];
  for (const file of files) {
    try {
      for (const test of testsOf(file)) if (tests.push(test) >= maxTests) return identify(tests, directory);
    } catch {
      // Its tests are missing, which is no pass.
    }
  }
  if (tests.length > 0) return identify(tests, directory);
  for (const read of [cargoTests, goTests, ctestTests, ({ stdout }: Printed) => tapTests(stdout)]) {
    const found = read(printed);
    if (found.length > 0) return identify(found, directory);
  }
  return [];
}
