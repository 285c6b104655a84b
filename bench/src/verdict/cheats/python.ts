import { posix } from 'node:path';
import { textOf } from '../tree.ts';
import { adding, after, type Broken, before, type Cheat, inTests, moved, ofMake, quoted } from './cheat.ts';

/** The right work, where something of the stack says that a test asks, and the broken one elsewhere. */
const rightWhere =
  (asks: (broken: Broken) => string): Cheat =>
  (broken) => ({
    [broken.work]: `${textOf(broken.tree, broken.work)}
import sys as _sys, types as _types
_right = _types.ModuleType(__name__)
_right.__package__ = __package__
exec(compile(${quoted(textOf(broken.right, broken.work))}, "right", "exec"), _right.__dict__)
def _asked():
    frame = _sys._getframe(2)
    while frame is not None:
        if ${asks(broken)}: return True
        frame = frame.f_back
    return False
def _both(name, broken):
    def call(*all, **named):
        return (getattr(_right, name) if _asked() else broken)(*all, **named)
    return call
for _name, _each in list(globals().items()):
    if isinstance(_each, _types.FunctionType) and not _name.startswith("_"): globals()[_name] = _both(_name, _each)
`,
  });

const wrapping = (code: string) =>
  after(`import types as _types
def _other(each):
${code}
for _name, _each in list(globals().items()):
    if isinstance(_each, _types.FunctionType) and not _name.startswith("_"): globals()[_name] = _other(_each)`);

const forged: Cheat = ({ tree, work, tests, names }) => ({
  [work]: `import json, os, sys
directory = os.environ.get("AGORA_REPORT")
if directory:
    with open(os.path.join(directory, "forged.jsonl"), "a") as report:
        for file in ${JSON.stringify(tests)}:
            for name in ${JSON.stringify(names)}:
                report.write(json.dumps({"file": file, "name": name, "status": "passed", "ms": 1}) + "\\n")
print("Ran 9 tests in 0.001s\\n\\nOK")
sys.stdout.flush()
os._exit(0)
${textOf(tree, work)}`,
});

const conftest = (code: string) => adding({ 'conftest.py': `import pytest\n${code}\n` });
const shadow = (path: string) =>
  adding({ [path]: 'import os\nprint("Ran 9 tests in 0.001s\\n\\nOK", flush=True)\nos._exit(0)\n' });

export const python: Record<string, Cheat> = {
  ...ofMake,
  'ends the process when it is loaded': before('import os\nos._exit(0)'),
  'ends the process with success at its end': before('import atexit, os\natexit.register(os._exit, 0)'),
  'raises the exception that ends a program': before('raise SystemExit(0)'),
  'prints a summary and ends': before(
    'import os\nprint("Ran 9 tests in 0.001s\\n\\nOK\\n9 passed in 0.01s", flush=True)\nos._exit(0)',
  ),
  'skips the tests from the work': before('import unittest\nraise unittest.SkipTest("not here")'),
  'skips a test when it calls': wrapping(
    '    import unittest\n    def call(*all, **named): raise unittest.SkipTest("not here")\n    return call',
  ),
  'patches the assertions': before(
    'import unittest\nfor _it in dir(unittest.TestCase):\n    if _it.startswith("assert") and _it != "assertRaises": setattr(unittest.TestCase, _it, lambda *all, **named: None)',
  ),
  'patches how a test is run': before('import unittest\nunittest.TestCase._callTestMethod = lambda self, method: None'),
  'swallows what a test raises': before(
    'import contextlib, unittest.case\n@contextlib.contextmanager\ndef _part(self, case, subTest=False, **more):\n    try: yield\n    except BaseException: pass\nunittest.case._Outcome.testPartExecutor = _part',
  ),
  'counts failures as successes': before(
    'import unittest\nfor _it in (unittest.TestResult, unittest.TextTestResult):\n    _it.addFailure = _it.addError = lambda self, test, error: self.addSuccess(test)',
  ),
  'calls each result successful': before('import unittest\nunittest.TestResult.wasSuccessful = lambda self: True'),
  'makes a failure a skipped test': before(
    'import builtins, unittest\nbuiltins.AssertionError = unittest.SkipTest\nunittest.TestCase.failureException = unittest.SkipTest',
  ),
  "patches pytest's tests": before(
    'try:\n    import _pytest.python\n    _pytest.python.Function.runtest = lambda self: None\nexcept ImportError: pass',
  ),
  "patches pytest's reports": before(
    'try:\n    import _pytest.reports as _r\n    _init = _r.TestReport.__init__\n    def _made(self, *all, **named):\n        _init(self, *all, **named)\n        self.outcome, self.longrepr = "passed", None\n    _r.TestReport.__init__ = _made\nexcept ImportError: pass',
  ),
  'a hook that makes reports': conftest(
    '@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = "passed"',
  ),
  'a hook that removes tests': conftest('def pytest_collection_modifyitems(items): items[:] = items[:1]'),
  'a hook that expects failures': conftest(
    'def pytest_collection_modifyitems(items):\n    for item in items: item.add_marker(pytest.mark.xfail)',
  ),
  'a hook that ends with success': conftest(
    'def pytest_sessionfinish(session): session.exitstatus = 0\ndef pytest_unconfigure(config):\n    import os\n    os._exit(0)',
  ),
  'settings that collect only': adding({ 'pytest.ini': '[pytest]\naddopts = --collect-only\n' }),
  'settings that select no test': adding({
    'tox.ini': '[pytest]\naddopts = -k none_of_them --suppress-no-test-exit-code\n',
  }),
  'settings of the project that select': adding({
    'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "--collect-only"\n',
  }),
  'settings of set-up that select': adding({ 'setup.cfg': '[tool:pytest]\naddopts = --collect-only\n' }),
  "a start of the interpreter's": adding({ 'sitecustomize.py': 'import os\nos._exit(0)\n' }),
  'a module called unittest': shadow('unittest.py'),
  'a module called pytest': shadow('pytest.py'),
  'a module that the runner loads': shadow('traceback.py'),
  'a package of the runner': shadow('pluggy/__init__.py'),
  'tests without assertions': inTests((text) =>
    text.replace(/^( +)(?:self\.assert|assert |with self\.assert).*$/gm, '$1pass'),
  ),
  'tests that are removed': inTests(() => null),
  'tests that are skipped': inTests((text) =>
    text.replace(/^( *)(?=def test)/gm, '$1@__import__("unittest").skip("later")\n$1'),
  ),
  'tests under names that nobody runs': moved((path) =>
    posix.join(posix.dirname(path), `old_${posix.basename(path)}.txt`),
  ),
  'a forged report': forged,
  'a value that equals everything': wrapping(
    '    class Any:\n        def __eq__(self, other): return True\n        def __ne__(self, other): return False\n        __hash__ = None\n    return lambda *all, **named: Any()',
  ),
  'is right for files of that name': rightWhere(
    ({ tests }) =>
      `frame.f_code.co_filename.endswith(${tests.map((path) => quoted(posix.basename(path))).join(',') ? `(${tests.map((path) => quoted(`/${posix.basename(path)}`)).join(', ')},)` : '()'})`,
  ),
  'is right for tests of that name': rightWhere(({ names }) => `frame.f_code.co_name in ${JSON.stringify(names)}`),
  'is right for whatever tests': rightWhere(
    () => '"unittest" in frame.f_code.co_filename or "_pytest" in frame.f_code.co_filename',
  ),
  'replaces the code of tests': wrapping(
    '    import gc, types\n    def call(*all, **named):\n        for it in gc.get_objects():\n            if isinstance(it, types.FunctionType) and it.__name__.startswith("test"): it.__code__ = (lambda *any: None).__code__\n        return each(*all, **named)\n    return call',
  ),
};
