import { describe, expect, test } from 'vitest';
import { laid } from '../../../test/support/gate/host-sandbox.ts';
import { declaredTests, lacksDependencies, ranNoTests } from '../evidence/test-commands.ts';
import { inlineTests, mergeInlineTests } from './inline-tests.ts';
import { addedSteering, isTestFile, mergePackage, restoration } from './restored-files.ts';

describe('the buyer gets back', () => {
  test.each([
    'test/sum.js',
    'src/__tests__/a.ts',
    't/days.sh',
    'sum.test.js',
    'a/b_test.go',
    'test_sum.py',
    'lib/x.spec.tsx',
    'test.js',
  ])('%s as a test file', (path) => expect(isTestFile(path)).toBe(true));

  test.each(['src/sum.js', 'contest.js', 'latest/index.js', 'src/testing.ts', 'attest.py'])(
    'not %s, which is work',
    (path) => expect(isTestFile(path)).toBe(false),
  );

  const originalFiles = laid({
    'src/sum.js': '',
    'sum.test.js': '',
    'test/helper.js': '',
    'test/all.js': '',
    'check.sh': '',
    Makefile: '',
    'run.config.js': '',
    'package.json': '{}',
    'spec/parser.js': '',
  });
  const ran = { tests: ['test/all.js'], steering: ['run.config.js'] };
  const asked = { taskType: 'bug_fix', originalFiles, commands: [], purpose: 'checks', ran } as const;
  const names = (given: Partial<Parameters<typeof restoration>[0]>) =>
    restoration({ ...asked, ...given }).files.map((file) => file.path);

  test('what a run told: files of tests, those that serve them, and what steers them', () => {
    expect(names({})).toEqual(['test/helper.js', 'test/all.js', 'run.config.js']);
  });

  test('what is called like a test, where no run told anything', () => {
    expect(names({ ran: null })).toEqual(['sum.test.js', 'test/helper.js', 'test/all.js', 'spec/parser.js']);
  });

  test('the scripts that a command starts, and build files that the gate starts itself', () => {
    expect(names({ commands: ['sh check.sh'] })).toContain('check.sh');
    expect(names({ purpose: 'tests' })).toContain('Makefile');
  });

  test('no file that the buyer orders by its name, unless tests were reported from it', () => {
    const description = 'Repair test/helper.js, run.config.js and test/all.js.';
    expect(names({ description })).toEqual(['test/all.js']);
  });

  test('no work file, even when a check names it, and nothing of what a task to write tests delivers', () => {
    expect(names({ commands: ['node src/sum.js'] })).not.toContain('src/sum.js');
    expect(names({ taskType: 'testing' })).toEqual([]);
    expect(names({ taskType: 'testing', commands: ['sh check.sh'] })).toEqual(['check.sh']);
  });

  test('names count in any letter case, except those that a tool looks up exactly', () => {
    const cased = laid({ 'Check.sh': '', 'Tests/sum.js': '', 'SUM.TEST.JS': '', 'PACKAGE.JSON': '{}' });
    expect(names({ originalFiles: cased, ran: null, commands: ['sh Check.sh'] })).toEqual([
      'Check.sh',
      'Tests/sum.js',
      'SUM.TEST.JS',
    ]);
  });
});

test('files that the agent added and that steer go, but not those that the buyer ordered', () => {
  const asked = { taskType: 'bug_fix', originalFiles: laid({ 'conftest.py': '' }) } as const;
  const steering = ['conftest.py', 'config.mk', 'node_modules/jest/runner.js', 'tests/conftest.py'];
  expect(addedSteering(asked, steering)).toEqual(['config.mk', 'tests/conftest.py']);
  expect(addedSteering({ ...asked, description: 'Add a config.mk' }, steering)).toEqual(['tests/conftest.py']);
  expect(addedSteering({ ...asked, taskType: 'testing' }, steering)).toEqual([]);
});

describe('package.json', () => {
  const buyers = JSON.stringify({
    scripts: { test: 'npm run unit', unit: 'node --test', build: 'old' },
    mocha: { ui: 'bdd' },
  });

  test("runs the buyer's test scripts and what they call, and keeps the agent's other changes", () => {
    const agents = JSON.stringify({
      type: 'module',
      scripts: { test: 'true', pretest: 'rm -r test', unit: 'true', preunit: 'exit 0', build: 'new' },
      jest: { testMatch: [] },
    });
    expect(JSON.parse(mergePackage(buyers, agents))).toEqual({
      type: 'module',
      scripts: { test: 'npm run unit', unit: 'node --test', build: 'new' },
      mocha: { ui: 'bdd' },
    });
  });

  test("one that is missing or broken becomes the buyer's; tests set up where there were none stay the agent's", () => {
    expect(mergePackage(buyers, null)).toBe(buyers);
    expect(mergePackage(buyers, '{')).toBe(buyers);
    const placeholder = JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } });
    const agents = { scripts: { test: 'node --test' } };
    expect(JSON.parse(mergePackage(placeholder, JSON.stringify(agents)))).toEqual(agents);
  });
});

describe('the declared test command', () => {
  const declared = (files: Record<string, string>) =>
    declaredTests(Object.entries(files).map(([path, text]) => ({ path, text })));

  test.each<[string, Record<string, string>, string | null, string]>([
    ['npm', { 'package.json': '{"scripts":{"test":"node --test"}}' }, 'npm test', ''],
    ['npm in a folder', { 'app/package.json': '{"scripts":{"test":"jest"}}' }, 'npm test', 'app'],
    [
      'test files beside a placeholder',
      { 'package.json': '{"scripts":{"test":"echo no test specified"}}', 'a.test.mjs': '' },
      'node --test',
      '',
    ],
    ['python', { 'tests/test_a.py': '', 'a.py': '' }, 'python3 -m pytest -q', ''],
    ['go', { 'go.mod': 'module a', 'a_test.go': '' }, 'go test ./...', ''],
    ['rust', { 'Cargo.toml': '' }, 'cargo test --offline', ''],
    ['make', { Makefile: 'all:\n\ntest: all\n\t./run' }, 'make -B test', ''],
    ['nothing', { 'index.js': '', Makefile: 'all:', 'go.mod': '' }, null, ''],
    ['dependencies aside', { 'node_modules/x/package.json': '{"scripts":{"test":"x"}}' }, null, ''],
    [
      'the nearest to the root',
      { 'sub/package.json': '{"scripts":{"test":"x"}}', 'Cargo.toml': '' },
      'cargo test --offline',
      '',
    ],
  ])('%s', (_name, files, command, directory) => {
    expect(declared(files)).toEqual(command === null ? null : expect.objectContaining({ command, directory }));
  });

  test('what a run lacked is told from what the work lacked', () => {
    expect(lacksDependencies("Error: Cannot find module 'lodash'", '{"lodash": "4"}')).toBe(true);
    expect(lacksDependencies("Cannot find package 'lodash/fp' imported from x", '{"lodash": "4"}')).toBe(true);
    expect(lacksDependencies("Cannot find module '@a/b/c'", '{"@a/b": "1"}')).toBe(true);
    expect(lacksDependencies("Error: Cannot find module 'lodash'", '{"express": "4"}')).toBe(false);
    expect(lacksDependencies("Error: Cannot find module './sum.js'", '')).toBe(false);
    expect(lacksDependencies("Cannot find module '/workspace/sum.js' imported from", '')).toBe(false);
    expect(lacksDependencies('sh: 1: jest: not found', '')).toBe(true);
    expect(lacksDependencies("ModuleNotFoundError: No module named 'flask'", 'flask==3.0')).toBe(true);
    expect(lacksDependencies("ModuleNotFoundError: No module named 'mysum'", 'flask==3.0')).toBe(false);
    expect(lacksDependencies("No module named 'stock'", 'name = "stock"', new Set(['stock']))).toBe(false);
    expect(ranNoTests('TAP version 13\n# tests 0\n# pass 0')).toBe(true);
    expect(ranNoTests('# tests 10')).toBe(false);
  });
});

describe('tests of Rust beside the work', () => {
  const tests = '#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::add(2, 2), 4); }\n}';
  const buyers = `fn add(a: i32, b: i32) -> i32 { a - b }\n${tests}\n`;
  const work = 'fn add(a: i32, b: i32) -> i32 { a + b }\n';
  const restored = expect.stringMatching(/^fn add\(a: i32, b: i32\) -> i32 \{ a \+ b \}\n/);

  test("are the buyer's again, and the work stays", () => {
    for (const delivered of [
      work,
      work + tests.replace('assert_eq!(super::add(2, 2), 4);', ''),
      `${work}${tests.replaceAll('\n', '\r\n')}\r\n`,
    ]) {
      const merged = mergeInlineTests(inlineTests('a.rs', buyers)!, delivered);
      expect(merged).toEqual(restored);
      expect(merged.split(tests)).toHaveLength(2);
    }
  });

  test('are no part of what the work ends with', () => {
    const merged = mergeInlineTests(
      inlineTests('a.rs', buyers)!,
      `${work}#[cfg(any())]\n${tests.replace('super', 'self')}\n`,
    );
    expect(merged).toContain('#[cfg(any())]\n\nconst _: () = ();\n#[cfg(test)]');
    expect(merged).not.toContain('self::add');
  });

  test('are left alone where their end is not clear', () => {
    expect(inlineTests('a.rs', buyers)).not.toBeNull();
    expect(inlineTests('a.rs', buyers.replace('adds() {', 'adds() { let s = "{";'))).toBeNull();
    expect(inlineTests('a.rs', '#[cfg(test)]\n'.repeat(20_000))).toBeNull();
  });
});
