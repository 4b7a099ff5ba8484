"""A plugin of pytest that notes which lines each test executes, by sys.settrace: the oracle of scripts/mutations, independent of what Tare records.

MUTATIONS_ROOT is the project, MUTATIONS_LINES the file that is written: `loading`, lines that were executed while tests were collected, and for each
function of a test those that all its parameter sets executed. A line is `[path, number]`, the path from the root on.
"""

import functools
import json
import os
import sys

import pytest

ROOT = os.path.realpath(os.environ["MUTATIONS_ROOT"]) + os.sep
loading, tests = set(), {}
into = loading


@functools.cache
def place(file):
    """The path from the root on; None of what lies elsewhere."""
    path = os.path.realpath(file)
    return path[len(ROOT):] if path.startswith(ROOT) else None


def traced(frame, event, argument):
    path = place(frame.f_code.co_filename)
    if path is None:
        return None
    into.add((path, frame.f_lineno))
    return traced_line


def traced_line(frame, event, argument):
    if event == "line":
        into.add((place(frame.f_code.co_filename), frame.f_lineno))
    return traced_line


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    sys.settrace(traced)
    try:
        return (yield)
    finally:
        sys.settrace(None)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    global into
    into = set()
    sys.settrace(traced)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        name = pyfuncitem.originalname
        tests[name] = tests[name] & into if name in tests else into
        into = loading


def pytest_sessionfinish():
    document = {"loading": sorted(loading), "tests": {name: sorted(lines) for name, lines in tests.items()}}
    with open(os.environ["MUTATIONS_LINES"], "w", encoding="utf-8") as file:
        json.dump(document, file)
