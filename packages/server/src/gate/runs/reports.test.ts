import { describe, expect, test } from 'vitest';
import { type ReportFile, type RunReport, reportedTests } from './reports.ts';

const read = (report: Partial<RunReport>) => reportedTests({ files: [], stdout: '', stderr: '', ...report });
const inFile = (path: string, text: string) => read({ files: [{ path, text }] });
/** As `id: status`. */
const told = (report: Partial<RunReport>) => read(report).map(({ id, status }) => `${id}: ${status}`);
const toldIn = (path: string, text: string) => inFile(path, text).map(({ id, status }) => `${id}: ${status}`);

describe('what runners write', () => {
  test('lines of our own reporters, of all processes, with paths of the workspace', () => {
    const line = (file: string | null, name: string, status: string) => JSON.stringify({ file, name, status, ms: 1 });
    const files: ReportFile[] = [
      { path: 'a.jsonl', text: `${line('/workspace/a.test.js', 's > one', 'passed')}\nnoise\n{"name":1}\n` },
      { path: 'b.jsonl', text: line('/usr/lib/python3.11/unittest/loader.py', 'x', 'failed') },
      { path: 'c.jsonl', text: `${line('b.js', 'same', 'passed')}\n${line('b.js', 'same', 'skipped')}` },
    ];
    expect(told({ files, directory: '/workspace/sub' })).toEqual([
      'a.test.js > s > one: passed',
      'x: failed',
      'sub/b.js > same: passed',
      'sub/b.js > same #2: skipped',
    ]);
  });

  test('JUnit XML: of pytest, with files; of Surefire and ctest, without', () => {
    const pytest = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="4">
      <testcase classname="tests.test_a" name="test_p[a/b &lt;c&gt;]" file="tests/test_a.py" line="3" time="0.002"/>
      <testcase classname="tests.test_a" name="test_f" file="tests/test_a.py"><failure message="x">&amp;</failure></testcase>
      <testcase classname="tests.test_a" name="test_x" file="tests/test_a.py"><skipped type="pytest.xfail"/></testcase>
      <testcase classname="" name="tests.test_b" file="tests/test_b.py"><error message="collection failure"/></testcase>
      </testsuite></testsuites>`;
    expect(toldIn('r.xml', pytest)).toEqual([
      'tests/test_a.py > tests.test_a > test_p[a/b <c>]: passed',
      'tests/test_a.py > tests.test_a > test_f: failed',
      'tests/test_a.py > tests.test_a > test_x: skipped',
      'tests/test_b.py > tests.test_b: failed',
    ]);
    const surefire = `<testsuite name="org.A"><testcase name="adds" classname="org.A" time="1.5"><skipped/><error/></testcase></testsuite>`;
    expect(inFile('TEST-A.xml', surefire)).toMatchObject([{ id: 'org.A > adds', status: 'failed', ms: 1500 }]);
    const phpunit = `<testsuites><testsuite name="/workspace/tests"><testsuite name="SumTest" file="/workspace/tests/SumTest.php">
      <testcase name="testAdds" class="SumTest" classname="SumTest" file="/workspace/tests/SumTest.php" time="0.007"/>
      <testsuite name="SumTest::testPairs"><testcase name="testPairs with data set &quot;two&quot;" classname="SumTest" time="0.1">
      <failure type="E">is not 3</failure></testcase></testsuite></testsuite></testsuite></testsuites>`;
    expect(inFile('phpunit-7.xml', phpunit)).toMatchObject([
      { file: 'tests/SumTest.php', id: 'tests/SumTest.php > SumTest > testAdds', status: 'passed' },
      {
        file: 'tests/SumTest.php',
        id: 'tests/SumTest.php > SumTest > testPairs with data set "two"',
        status: 'failed',
      },
    ]);
    const ctest = `<testsuite name="x"><testcase name="unit" classname="unit" time="0.1" status="run"/>
      <testcase name="slow" classname="slow" status="disabled"/></testsuite>`;
    expect(toldIn('ctest.xml', ctest)).toEqual(['unit > unit: passed', 'slow > slow: skipped']);
  });

  test('TRX of .NET', () => {
    const trx = `<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>
      <UnitTestResult testName="N.A.Adds" outcome="Passed" duration="00:01:02.5000000"/>
      <UnitTestResult testName="N.A.Fails" outcome="Failed"><Output><ErrorInfo/></Output></UnitTestResult>
      <UnitTestResult testName="N.A.Later" outcome="NotExecuted"/></Results></TestRun>`;
    expect(inFile('a.trx', trx)).toMatchObject([
      { id: 'N.A.Adds', status: 'passed', ms: 62_500 },
      { id: 'N.A.Fails', status: 'failed', ms: null },
      { id: 'N.A.Later', status: 'skipped' },
    ]);
  });

  test('JSON of RSpec and TAP files of prove', () => {
    const example = (status: string) => ({
      file_path: './spec/a_spec.rb',
      full_description: 'Sum adds',
      status,
      run_time: 0.5,
    });
    const rspec = JSON.stringify({ examples: [example('passed'), example('pending')] });
    expect(toldIn('rspec.json', rspec)).toEqual([
      'spec/a_spec.rb > Sum adds: passed',
      'spec/a_spec.rb > Sum adds #2: skipped',
    ]);
    expect(toldIn('tap/t/a.t', 'ok 1 - one\nnot ok 2 - two\n1..2\n')).toEqual(['one: passed', 'two: failed']);
  });
});

describe('what runners print', () => {
  test('cargo, with the program of each block', () => {
    const stderr = '     Running unittests src/lib.rs (target/debug/deps/x-1)\n   Doc-tests x\n';
    const stdout =
      'running 2 tests\ntest tests::one ... ok\ntest tests::two ... FAILED\n\ntest result: FAILED.\n\n' +
      'running 1 test\ntest src/lib.rs - sum (line 12) ... ignored\n';
    expect(told({ stdout, stderr })).toEqual([
      'src/lib.rs > tests::one: passed',
      'src/lib.rs > tests::two: failed',
      'doc-tests of x > src/lib.rs - sum: skipped',
    ]);
  });

  test('cargo, where a program ends before its tests', () => {
    expect(told({ stdout: 'running 2 tests\ntest one ... ok\n' })).toEqual([
      'program 1 > one: passed',
      'program 1: failed',
    ]);
  });

  test('cargo, with the file of tests that stand in one of their own', () => {
    const stderr = '     Running tests/adds.rs (target/debug/deps/adds-1)\n';
    expect(told({ stdout: 'running 1 test\ntest two ... ok\n', stderr })).toEqual(['tests/adds.rs > two: passed']);
  });

  test('Go, with the package of each test, and packages that do not build or end before their tests', () => {
    const stdout = [
      '=== RUN   TestAdds',
      '=== RUN   TestAdds/small',
      '--- FAIL: TestAdds (0.01s)',
      '    --- PASS: TestAdds/small (0.00s)',
      '=== RUN   TestLater',
      'prompt> --- SKIP: TestLater (0.00s)',
      'FAIL',
      'FAIL\texample.org/shop\t0.012s',
      '?   \texample.org/shop/doc\t[no test files]',
      'FAIL\texample.org/shop/broken [build failed]',
      '=== RUN   TestOne',
      '--- PASS: TestOne (0.00s)',
      'FAIL\texample.org/shop/ends\t0.003s',
      '=== RUN   TestTwo',
      '--- PASS: TestTwo (0.00s)',
      '=== RUN   TestThree',
      '--- PASS: TestNever (0.00s)',
      'ok  \texample.org/shop/good\t0.003s',
    ];
    expect(told({ stdout: stdout.join('\n') })).toEqual([
      'example.org/shop > TestAdds: failed',
      'example.org/shop > TestAdds/small: passed',
      'example.org/shop > TestLater: skipped',
      'example.org/shop/broken: failed',
      'example.org/shop/ends > TestOne: passed',
      'example.org/shop/ends: failed',
      'example.org/shop/good > TestTwo: passed',
      'example.org/shop/good > TestThree: failed',
    ]);
  });

  test('ctest', () => {
    const stdout = `    Start 1: unit
1/3 Test #1: unit .............................   Passed    0.01 sec
2/3 Test #2: strings ..........................***Failed    0.02 sec
3/3 Test #3: slow .............................***Not Run (Disabled)   0.00 sec
`;
    expect(told({ stdout })).toEqual(['unit: passed', 'strings: failed', 'slow: skipped']);
  });

  test('TAP, by names, with those of the tests around', () => {
    const stdout = `TAP version 13
# Subtest: sums
    ok 1 - adds
    not ok 2 - subtracts
    ok 3 - later # SKIP
    1..3
not ok 1 - sums
ok 2
1..2
`;
    expect(told({ stdout })).toEqual([
      'sums > adds: passed',
      'sums > subtracts: failed',
      'sums > later: skipped',
      'sums: failed',
      '2: passed',
    ]);
  });

  test('counts only where no file has a test', () => {
    const files = [{ path: 'a.jsonl', text: '{"name":"one","status":"passed"}' }];
    expect(told({ files, stdout: 'ok 1 - printed\n1..1\n' })).toEqual(['one: passed']);
    expect(told({ stdout: 'All is ok.\nokay\n' })).toEqual([]);
  });
});

describe('reports that lie or attack are bounded', () => {
  test.each([
    ['is no XML', '<testsuite><testcase name="a"></testsuite>'],
    ['is cut off', '<testsuite><testcase name="a"/>'],
    ['declares entities', '<!DOCTYPE a [<!ENTITY b "c">]><testsuite><testcase name="&b;"/></testsuite>'],
    ['is too deep', `<testsuite>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</testsuite>`],
    ['is of another kind', '<html><testcase name="a"/></html>'],
  ])('an XML that %s has no tests', (_how, text) => {
    expect(toldIn('a.xml', text)).toEqual([]);
  });

  test('names and paths are cut and hold no control characters', () => {
    const text = JSON.stringify({
      file: `/workspace/${'d/'.repeat(900)}`,
      name: `a\u0000\u001b[31m\n${'x'.repeat(5000)}\ud800`,
      status: 'passed',
    });
    const [only] = inFile('a.jsonl', text);
    expect(only!.name).toMatch(/^a {2}\[31m x+$/);
    expect(only!.name).toHaveLength(1000);
    expect(only!.file!.length).toBeLessThanOrEqual(1000);
  });

  test('the first hundred thousand tests are read, whatever follows', () => {
    const line = '{"name":"a","status":"passed"}\n';
    expect(inFile('a.jsonl', line.repeat(100_500))).toHaveLength(100_000);
    const element = '<testcase name="a"/>';
    expect(inFile('a.xml', `<testsuite>${element.repeat(100_500)}</testsuite>`)).toHaveLength(100_000);
  });
});
