"""Tests run by pytest itself, as a library, with a plugin that takes pytest-benchmark's place.

pytest collects, and calls the plugin's `pytest_runtestloop`; the core's requests are served from there on, and pytest never goes
further than its loop.
"""

import importlib
import importlib.util
import os
import sys
from io import StringIO

import pytest

from tare_worker.fixture_case import TestCase, passed_strictly, pedantic_calls, unused
from tare_worker.fault import Fault
from tare_worker.fixture import BenchmarkFixture
from tare_worker.null_subject import is_awaited

FLAGS = "disable-gc skip disable enable only autosave save-data verbose quiet".split()
OPTIONS = (
    "min-time max-time min-rounds precision confidence timer calibration-precision warmup warmup-iterations save json compare "
    "compare-fail cprofile cprofile-loops cprofile-top cprofile-dump time-unit storage netrc sort group-by columns name histogram csv"
).split()
CODSPEED_FLAGS = ["--codspeed"]
CODSPEED_OPTIONS = ["--codspeed-mode", "--codspeed-warmup-time", "--codspeed-max-time", "--codspeed-max-rounds"]
# What pytest has kept of the last run is nothing that benchmarks depend on; with `--lf` in a project's options it would choose among them.
NO_CACHE = "-ocache_dir=" + os.path.join(os.devnull, "none")
PREFIXES = {"python_functions": "bench_", "python_classes": "Bench"}

# Plugins that would run the tests elsewhere, in another order or against a stopwatch, and the option that rests each of them.
RESTED = {"xdist": "-n0", "pytest_cov": "--no-cov", "pytest_timeout": "--timeout=0", "pytest_randomly": "-pno:randomly"}


# Of pytest 7 and later the hook has the name of its argument that is used here.
NAMES_PATHS = int(pytest.__version__.split(".")[0]) >= 7


class HookSpecifications:
    """Hooks of pytest-benchmark that a conftest may implement. None is called."""

    def pytest_benchmark_scale_unit(self, config, unit, benchmarks, best, worst, sort):
        """Not called."""

    def pytest_benchmark_generate_machine_info(self, config):
        """Not called."""

    def pytest_benchmark_update_machine_info(self, config, machine_info):
        """Not called."""

    def pytest_benchmark_generate_commit_info(self, config):
        """Not called."""

    def pytest_benchmark_update_commit_info(self, config, commit_info):
        """Not called."""

    def pytest_benchmark_group_stats(self, config, benchmarks, group_by):
        """Not called."""

    def pytest_benchmark_generate_json(self, config, benchmarks, include_data, machine_info, commit_info):
        """Not called."""

    def pytest_benchmark_update_json(self, config, benchmarks, output_json):
        """Not called."""

    def pytest_benchmark_compare_machine_info(self, config, benchmarksession, machine_info, compared_benchmark):
        """Not called."""


class Plugin:
    """Takes part in pytest's session: options, fixture, collection, and the outcome of the test that is run."""

    def __init__(self, host, sources, then, notice, streams):
        self._host = host
        self._sources = sources
        self._then = then
        self._notice = notice
        self._streams = streams
        self._fixture = None
        self._raised = None
        self._skipped = None
        self.collected = False

    def pytest_addoption(self, parser):
        group = parser.getgroup("benchmark")
        for name in FLAGS:
            group.addoption("--benchmark-" + name, action="store_true", default=False)
        for name in OPTIONS:
            group.addoption("--benchmark-" + name, nargs="?", default=None)
        for name in CODSPEED_FLAGS:
            group.addoption(name, action="store_true", default=False)
        for name in CODSPEED_OPTIONS:
            group.addoption(name, default=None)

    def pytest_addhooks(self, pluginmanager):
        pluginmanager.add_hookspecs(HookSpecifications)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        config.addinivalue_line("markers", "benchmark: settings of pytest-benchmark")
        # In files of tests a class Bench… may be anything, such as the fixture's own that is imported for its name.
        if any(os.path.basename(source.path).startswith("bench") for source in self._sources):
            for option, prefix in PREFIXES.items():
                config.getini(option).append(prefix)
        self._streams.restore()

    if NAMES_PATHS:

        @pytest.hookimpl(tryfirst=True)
        def pytest_ignore_collect(self, collection_path):
            """What lies beside the sources is none of theirs: pytest would ask for each such file, and its size would be one more thing that they depend on."""
            path = str(collection_path)
            is_above = any(source.path == path or source.path.startswith(os.path.join(path, "")) for source in self._sources)
            return None if is_above or os.path.basename(path) == "__init__.py" else True

    @pytest.fixture
    def benchmark(self, request):
        return self._take_fixture(request.node)

    def _take_fixture(self, node):
        callspec = getattr(node, "callspec", None)
        self._fixture = BenchmarkFixture(
            self._host,
            node.name,
            node.nodeid,
            callspec.id if callspec else None,
            callspec.params if callspec else None,
            _group(node),
            _collects(node),
        )
        return self._fixture

    @pytest.fixture
    def benchmark_weave(self, benchmark):
        return benchmark.weave

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        """A test that is marked as a benchmark is one as a whole. An async one that no plugin has taken is run here."""
        function = pyfuncitem.obj
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        if _is_whole(pyfuncitem):
            self._take_fixture(pyfuncitem)(function, **arguments)
        elif is_awaited(function) and pyfuncitem.get_closest_marker("anyio") is None:
            self._host.run_coroutine(function(**arguments))
        else:
            return None
        return True

    def pytest_exception_interact(self, node, call, report):
        if not isinstance(node, pytest.Item):
            raised = call.excinfo.value
            # Import and syntax errors come wrapped into one whose message is a printed trace.
            self._notice("error", Fault.of(raised.__cause__ or raised, "load", "the source was loaded").or_at(_path(node), None))

    def pytest_collectreport(self, report):
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self._notice("info", Fault("skipped", "The file is left out: %s" % reason, None, report.nodeid.split("::")[0]))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if call.excinfo is None:
            # Nothing was raised, and that is what is wrong.
            if report.failed and self._raised is None:
                self._raised = passed_strictly(str(report.longrepr).partition("] ")[2])
            return
        # The worker's own: that a test can't be measured isn't what it was expected to fail for.
        if (report.failed or isinstance(call.excinfo.value, Fault)) and self._raised is None:
            self._raised = call.excinfo.value
        elif report.skipped and self._skipped is None:
            said = str(call.excinfo.value) or "no reason is given"
            self._skipped = "expected to fail: %s" % (report.wasxfail or said) if hasattr(report, "wasxfail") else said

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.collected = True
        found = {}
        for source in self._sources:
            calls = pedantic_calls(source)
            items = [item for item in session.items if _path(item) == source.path and isinstance(item, pytest.Function)]
            tests = [self._case(source, item, calls) for item in items if "benchmark" in item.fixturenames or _is_whole(item)]
            module = items[0].module if items else next((m for m in list(sys.modules.values()) if source.is_module(m)), None)
            found[source.path] = (module, tests)
        self._then(found, True)
        return True

    def _case(self, source, item, calls):
        classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
        callspec = getattr(item, "callspec", None)
        return TestCase(
            source,
            "::".join([*classes, getattr(item, "originalname", None) or item.name]),
            callspec.id if callspec else "",
            callspec.params if callspec else {},
            item.function,
            lambda: self._run(item),
            _group(item),
            _skip(item),
            calls,
            lambda raised: _expected(item, raised),
        )

    def _run(self, item):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        if self._raised is not None:
            if type(self._raised).__name__ == "FixtureLookupError":
                name = getattr(self._raised, "argname", "")
                raise Fault("load", "There is no fixture `%s`." % name, "Define it, or load the plugin that does.")
            raise self._raised
        if self._skipped is not None:
            raise Fault("skipped", self._skipped)
        if self._fixture is None or self._fixture.is_unused():
            raise unused((None, None))
        return self._fixture


class Streams:
    """What pytest says while it starts goes nowhere: standard output is the user's. What it says of errors is kept."""

    def __init__(self):
        self._kept = (sys.stdout, sys.stderr)
        self.errors = StringIO()
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
        sys.stderr = self.errors

    def restore(self):
        sys.stdout, sys.stderr = self._kept


def import_all():
    """Imports what pytest imports when it starts, plugins of others apart."""
    from _pytest import config

    for name in getattr(config, "default_plugins", ()):
        importlib.import_module("_pytest." + name)


def collect(host, sources, then, notice):
    """As `CollectedTests.collect`. Returns only if pytest can't collect."""
    streams = Streams()
    plugin = Plugin(host, sources, then, notice, streams)
    arguments = ["-s", "-q", "-pno:benchmark", "-pno:codspeed", "-pno:random_order", "--continue-on-collection-errors", NO_CACHE]
    arguments += [option for module, option in RESTED.items() if importlib.util.find_spec(module) is not None]
    try:
        pytest.main([*arguments, *(source.path for source in sources)], plugins=[plugin])
    finally:
        streams.restore()
    if not plugin.collected:
        said = streams.errors.getvalue().strip()
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        errors = [line for line in lines if "rror: " in line] or lines
        message = "pytest can't collect the tests: %s" % (errors[-1] if errors else "it doesn't say why")
        remedy = "Run it by hand: pytest --collect-only %s" % sources[0].asked
        notice("error", Fault("load", message, remedy, sources[0].asked, trace=said))
        then({source.path: (None, []) for source in sources}, False)


def _path(node):
    return os.path.realpath(str(getattr(node, "path", None) or node.fspath))


def _is_whole(item):
    """Whether the test itself is what is measured: it has pytest-codspeed's mark, and doesn't take the fixture."""
    return item.get_closest_marker("benchmark") is not None and "benchmark" not in item.fixturenames


def _group(node):
    marker = node.get_closest_marker("benchmark")
    return marker.kwargs.get("group") if marker is not None else None


def _collects(node):
    """Whether the collector is on, by the mark (`disable_gc=…`) or else by the option; None where neither says so."""
    marker = node.get_closest_marker("benchmark")
    if marker is not None and "disable_gc" in marker.kwargs:
        return not marker.kwargs["disable_gc"]
    return False if node.config.getoption("--benchmark-disable-gc") else None


def _expected(item, raised):
    """Why the test was expected to raise this in a sample; None where it wasn't."""
    from _pytest.skipping import evaluate_xfail_marks

    mark = evaluate_xfail_marks(item)
    if mark is None or item.config.getoption("runxfail", False):
        return None
    # Since pytest 8.4 what is raised may also be an expectation of its own.
    matches = getattr(mark.raises, "matches", None)
    if mark.raises is not None and not (matches(raised) if callable(matches) else isinstance(raised, mark.raises)):
        return None
    return mark.reason or str(raised)


def _skip(item):
    try:
        from _pytest.skipping import evaluate_skip_marks
    except ImportError:
        return None
    try:
        skipped = evaluate_skip_marks(item)
    except BaseException:  # A condition that can't be evaluated; the test itself will tell.
        return None
    return (skipped.reason or "no reason is given") if skipped else None
