"""Appends lines of JSON to a file of this process, in $AGORA_REPORT: one for each test, and for each file that steers."""
import json
import os
import sys
import time

_path = None
_steering = set()


def _append(line):
    global _path
    directory = os.environ.get("AGORA_REPORT")
    if not directory:
        return
    if _path is None:
        _path = os.path.join(directory, "python-%d-%d.jsonl" % (os.getpid(), time.time_ns()))
    try:
        with open(_path, "a") as lines:
            lines.write(json.dumps(line) + "\n")
    except OSError:
        pass  # What is missing is no pass.


def report(runner, file, name, status, ms=None):
    _append({"runner": runner, "file": file, "name": name, "status": status, "ms": ms})


def steers(file):
    """A file that decides how tests run without being one."""
    if file and file not in _steering:
        _steering.add(file)
        _append({"steers": str(file)})


def shadows():
    """Modules of the standard library, and of Python's start, that were found elsewhere."""
    known = set(getattr(sys, "stdlib_module_names", ())) | {"sitecustomize", "usercustomize", "pytest", "pluggy"}
    roots = tuple(os.path.join(prefix, "") for prefix in {sys.base_prefix, sys.prefix, os.path.dirname(__file__)})
    for name in known & set(sys.modules):
        file = getattr(sys.modules[name], "__file__", None)
        if file and not os.path.abspath(file).startswith(roots):
            steers(os.path.abspath(file))
