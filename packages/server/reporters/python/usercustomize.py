"""Python imports this at each start. Has unittest report its tests once a program imports it."""
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys


def _patch(result):
    import agora_lines

    agora_lines.shadows()

    def is_file(test):
        """Whether it stands for a module that could not be loaded."""
        return type(test).__name__ == "_FailedTest"

    def name_of(test):
        return "" if is_file(test) else test.id()

    def file_of(test):
        if is_file(test):
            try:
                spec = importlib.util.find_spec(test._testMethodName)
            except (ImportError, AttributeError, ValueError):
                return None
            return spec and spec.origin
        return getattr(sys.modules.get(type(test).__module__), "__file__", None)

    def telling(name, status):
        method = getattr(result.TestResult, name, None)
        if method is None:
            return

        def told(self, test, *rest):
            method(self, test, *rest)
            agora_lines.report("unittest", file_of(test), name_of(test), status)

        setattr(result.TestResult, name, told)

    telling("addSuccess", "passed")
    telling("addFailure", "failed")
    telling("addError", "failed")
    telling("addUnexpectedSuccess", "failed")
    telling("addSkip", "skipped")
    telling("addExpectedFailure", "skipped")

    add_sub_test = result.TestResult.addSubTest

    def added(self, test, subtest, error):
        add_sub_test(self, test, subtest, error)
        status = "passed" if error is None else "failed"
        agora_lines.report("unittest", file_of(test), subtest.id(), status)

    result.TestResult.addSubTest = added


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "unittest.result":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            _patch(module)

        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("AGORA_REPORT"):
    sys.meta_path.insert(0, _Finder())
