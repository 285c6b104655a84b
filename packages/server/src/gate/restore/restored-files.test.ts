import { describe, expect, test } from 'vitest';
import { laid } from '../../../test/support/gate/host-sandbox.ts';
import { declaredTests, lacksDependencies, ranNoTests } from '../evidence/test-commands.ts';
import { isTestFile, mergePackage, restoration } from './restored-files.ts';

describe('the buyer gets back', () => {
  test.each([
    'test/sum.js',
    'src/__tests__/a.ts',
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
    'check.sh': '',
    'verify-all.sh': '',
    Makefile: '',
    'jest.config.js': '',
    'package.json': '{}',
  });
  const names = (purpose: 'checks' | 'tests', taskType: 'bug_fix' | 'testing', commands: string[] = []) =>
    restoration({ taskType, originalFiles, commands, purpose }).files.map((file) => file.path);

  test('test files and their settings always, check scripts when a check names them, build files for the tests only', () => {
    expect(names('checks', 'bug_fix')).toEqual(['sum.test.js', 'jest.config.js']);
    expect(names('checks', 'bug_fix', ['sh check.sh'])).toEqual(['sum.test.js', 'check.sh', 'jest.config.js']);
    expect(names('tests', 'bug_fix')).toEqual(['sum.test.js', 'Makefile', 'jest.config.js']);
  });

  test("what would take precedence over the buyer's settings goes, but never what a task to write tests delivers", () => {
    const purged = (taskType: 'bug_fix' | 'testing') =>
      restoration({ taskType, originalFiles, commands: [], purpose: 'tests' }).purgeNames;
    expect(purged('bug_fix')).toEqual(expect.arrayContaining(['.npmrc', 'conftest.py', 'GNUmakefile', '.cargo']));
    expect(purged('testing')).not.toContain('conftest.py');
    expect(restoration({ taskType: 'bug_fix', originalFiles: [], commands: [], purpose: 'tests' }).purgeNames).toEqual(
      [],
    );
  });

  test('names count in any letter case, except those that a tool looks up exactly', () => {
    const cased = laid({ 'Check.sh': '', 'Tests/sum.js': '', 'SUM.TEST.JS': '', 'PACKAGE.JSON': '{}' });
    const files = (commands: string[]) =>
      restoration({ taskType: 'bug_fix', originalFiles: cased, commands, purpose: 'checks' }).files;
    expect(files(['sh Check.sh']).map(({ path }) => path)).toEqual(['Check.sh', 'Tests/sum.js', 'SUM.TEST.JS']);
  });

  test('a work file is never put back, even when a check names it', () => {
    expect(names('checks', 'bug_fix', ['node src/sum.js'])).not.toContain('src/sum.js');
  });

  test('a task to write tests keeps the tests it delivers', () => {
    expect(names('checks', 'testing')).toEqual([]);
    expect(names('checks', 'testing', ['sh check.sh'])).toEqual(['check.sh']);
  });
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
    ['python', { 'tests/test_a.py': '', 'a.py': '' }, 'pytest -q', ''],
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
    expect(lacksDependencies("Error: Cannot find module 'lodash'", '')).toBe(true);
    expect(lacksDependencies("Error: Cannot find module './sum.js'", '')).toBe(false);
    expect(lacksDependencies("Cannot find module '/workspace/sum.js' imported from", '')).toBe(false);
    expect(lacksDependencies('sh: 1: jest: not found', '')).toBe(true);
    expect(lacksDependencies("ModuleNotFoundError: No module named 'flask'", 'flask==3.0')).toBe(true);
    expect(lacksDependencies("ModuleNotFoundError: No module named 'mysum'", 'flask==3.0')).toBe(false);
    expect(ranNoTests('TAP version 13\n# tests 0\n# pass 0')).toBe(true);
    expect(ranNoTests('# tests 10')).toBe(false);
  });
});
