/** A failed test, with the place and reason that its report gives. */
export interface Failure {
  name: string;
  /** The failure in the runner's words. */
  error: string;
  expected: string | null;
  actual: string | null;
  /** Places the failure names, innermost first: the stack, then where the test is declared. */
  places: Place[];
}

export interface Place {
  path: string;
  line: number;
}

export interface TestReport {
  passed: number;
  failures: Failure[];
}

const result = /^(\s*)(not ok|ok) \d+ - (.*?)(?: # (?:SKIP|TODO).*)?$/;

/** Reads the TAP that `node --test --test-reporter=tap` writes. */
export function parseTap(tap: string): TestReport {
  const lines = tap.split('\n');
  const report: TestReport = { passed: 0, failures: [] };
  for (let at = 0; at < lines.length; at++) {
    const [, indent, verdict, name = ''] = result.exec(lines[at] ?? '') ?? [];
    if (indent === undefined) continue;
    const block = yamlAfter(lines, at, indent);
    if (verdict === 'ok') {
      if (field(block, 'type') !== 'suite') report.passed++;
      continue;
    }
    // A suite fails with its tests, but only the tests say why.
    if (field(block, 'failureType') === 'subtestsFailed') continue;
    report.failures.push({
      name,
      error: field(block, 'error') ?? '',
      expected: field(block, 'expected'),
      actual: field(block, 'actual'),
      places: placesOf(block),
    });
  }
  return report;
}

/** The diagnostic block of a result: its lines without their indent. */
function yamlAfter(lines: string[], at: number, indent: string): string[] {
  if (lines[at + 1] !== `${indent}  ---`) return [];
  const end = lines.indexOf(`${indent}  ...`, at + 2);
  return lines.slice(at + 2, end === -1 ? undefined : end).map((line) => line.slice(indent.length + 2));
}

/** A scalar or block of text; null if the block has none. */
function field(block: string[], name: string): string | null {
  const at = block.findIndex((line) => line.startsWith(`${name}: `));
  if (at === -1) return null;
  const value = block[at]!.slice(name.length + 2);
  if (!value.startsWith('|')) return value.replace(/^'(.*)'$/, '$1');
  const rest = block.slice(at + 1);
  const end = rest.findIndex((line) => line !== '' && !line.startsWith('  '));
  return rest
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

function placesOf(block: string[]): Place[] {
  const places: Place[] = [];
  const stack = block.findIndex((line) => line.startsWith('stack:'));
  const declared = block.filter((line) => line.startsWith('location:'));
  for (const line of [...(stack === -1 ? [] : block.slice(stack)), ...declared]) {
    const [, path, number] = /(?:file:\/\/)?(\/[^\s()']+?):(\d+):\d+/.exec(line) ?? [];
    if (path && number) places.push({ path, line: Number(number) });
  }
  return places;
}
