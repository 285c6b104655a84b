"""Reports the tests of pytest, which loads this by its entry point."""
import os
import types

import agora_lines

_config = None


agora_lines.shadows()


def pytest_configure(config):
    global _config
    # Workers of pytest-xdist tell the process that started them.
    if hasattr(config, "workerinput"):
        return
    _config = config
    agora_lines.steers(config.inipath)


def pytest_plugin_registered(plugin):
    """A conftest.py is a plugin, and so is what it names as one."""
    if isinstance(plugin, types.ModuleType):
        file = os.path.abspath(getattr(plugin, "__file__", None) or "")
        if "site-packages" not in file and not file.startswith(os.path.dirname(__file__)):
            agora_lines.steers(file)


def _report(file, name, status, ms=None):
    if _config is not None:
        agora_lines.report("pytest", str(_config.rootpath / file), name, status, ms)


def pytest_runtest_logreport(report):
    file, _, name = report.nodeid.partition("::")
    context = getattr(report, "context", None)
    if context is not None:  # A subtest; its test is reported beside it.
        values = ", ".join("%s=%r" % pair for pair in sorted(dict(context.kwargs).items()))
        name = "%s (%s)" % (name, ", ".join(part for part in (context.msg, values) if part))
    ms = report.duration * 1000
    if report.when == "call":
        _report(file, name, report.outcome, ms)
    elif report.outcome == "skipped" or (report.outcome == "failed" and report.when == "setup"):
        _report(file, name, report.outcome, ms)
    elif report.outcome == "failed":
        _report(file, name + " (teardown)", "failed", ms)


def pytest_collectreport(report):
    if report.outcome != "passed" and report.nodeid:
        _report(report.nodeid.partition("::")[0], "", report.outcome)
