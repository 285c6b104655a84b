import { posix } from 'node:path';

export type TestStatus = 'passed' | 'failed' | 'skipped';

/** One test as its runner reports it. */
export interface ReportedTest {
  /** As the runner names it, absolute or not; null if it does not say. */
  file: string | null;
  /** The full title, with those of its suites; empty for a file that could not be loaded. */
  name: string;
  status: TestStatus;
  /** Null if the runner does not say. */
  ms: number | null;
}

/** One test with a name that two runs of the same tests share. */
export interface TestResult extends ReportedTest {
  /** `file > name`, and `#2` for the second of that name. */
  id: string;
  /** Relative to the workspace; null if the runner does not say, or the file lies elsewhere. */
  file: string | null;
}

const workspace = '/workspace';
/** Of a name or a path: longer ones are cut, so that a report cannot fill the memory with one line. */
const maxChars = 1_000;
/** More tests than any project has; what follows them is not read. */
export const maxTests = 100_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this replaces.
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** In one line, fit to be stored and compared. */
const oneLine = (text: string) => text.slice(0, maxChars).replace(control, ' ').toWellFormed();

/** Relative to the workspace; null for what lies elsewhere. */
export function fileIn(file: string | null, directory: string = workspace): string | null {
  if (file === null || file === '') return null;
  const path = posix.relative(workspace, posix.resolve(directory, file.replace(/^file:\/\//, '')));
  return path === '' || path.startsWith('../') ? null : oneLine(path);
}

/** Gives each test its id. `directory`: where the command ran, to which relative paths of files refer. */
export function identify(tests: readonly ReportedTest[], directory: string = workspace): TestResult[] {
  const seen = new Map<string, number>();
  return tests.slice(0, maxTests).map((test) => {
    const file = fileIn(test.file, directory);
    const name = oneLine(test.name);
    const stem = [file, name].filter((part) => part !== null && part !== '').join(' > ');
    const nth = (seen.get(stem) ?? 0) + 1;
    seen.set(stem, nth);
    return { ...test, file, name, id: nth === 1 ? stem : `${stem} #${nth}` };
  });
}
