"""Loads sources and enumerates their cases: in the order of the files, and of the definitions in each."""

import sys
from types import FunctionType

from tare.declaration import declared
from tare_worker.benchmark import Benchmark
from tare_worker.fault import Fault
from tare_worker.operation import operations
from tare_worker.signature import partial
from tare_worker.source import Source, make_way

REMEDY = "A benchmark is a function or a method of a class Bench… whose name begins with bench_, or a test that takes the fixture benchmark."


class Registry:
    """The cases by number. `send` takes frames without their `id`; `tests` collects the files of tests."""

    def __init__(self, send, tests):
        self._send = send
        self._tests = tests
        self._noticed = set()
        self.cases = []
        self.operations = []

    def load(self, files, bootstrap, then):
        """Calls `then` when everything is enumerated. It needn't return: tests are collected from within pytest, which goes on
        around everything that follows."""
        if bootstrap is not None and self._source(bootstrap, Source.load) is None:
            then()
            return
        sources = []
        for file in files:
            kind = self._source(file, Source.has_tests)
            if kind is not None:
                sources.append((Source(file), kind))
        tests = [source for source, has_tests in sources if has_tests]

        def enumerate_all(found, within_tests=False):
            for source, has_tests in sources:
                self._enumerate(source, found.get(source.path) if has_tests else None)
            then(within_tests)

        if tests:
            make_way(tests[0].name()[1])
            self._tests.collect(tests, enumerate_all, self.notice)
        else:
            enumerate_all({})

    def notice(self, level, fault, benchmark=None):
        """Tells the core, once. `benchmark` is the name of the one that it is about."""
        keys = {**fault.keys(), "benchmark": benchmark}
        key = (level, *map(str, keys.values()))
        if key not in self._noticed:
            self._noticed.add(key)
            self._send({"frame": "notice", "level": level, **keys})

    def _source(self, file, action):
        """What the action gives for the source, or None when it can't be loaded."""
        try:
            source = Source(file)
        except Fault as fault:
            self.notice("error", fault)
            return None
        make_way(source.name()[1])
        try:
            return action(source)
        except BaseException as raised:
            self.notice("error", source.fault(raised))
            return None

    def _enumerate(self, source, collected):
        """`collected` are a module and its tests, where they were asked for and could be had."""
        if collected is None:
            module = self._source(source.asked, Source.load)
            if module is None:
                return
            tests = []
        else:
            module, tests = collected
        benchmarks = list(_benchmarks(module, source)) if module is not None else []
        done = operations(module, source.asked) if module is not None else []
        if not benchmarks and not tests and not done and module is not None:
            self.notice("warning", Fault("load", "The file holds no benchmark.", REMEDY, source.asked))
        for operation in done:
            self._add_operation(operation)
        for benchmark in benchmarks:
            self._add(benchmark)
        for test in tests:
            self._number(test)

    def _add(self, benchmark):
        try:
            cases = benchmark.cases()
        except Fault as fault:
            self.notice("error", fault, benchmark.name)
            return
        if benchmark.is_generator():
            message = "%s() is a generator: a call runs none of its body." % benchmark.name
            self.notice("warning", Fault("generator", message, "Iterate over it inside the benchmark.", *benchmark.place))
        for case in cases:
            self._number(case)

    def _add_operation(self, operation):
        if any((other.suite, other.name) == (operation.suite, operation.name) for other in self.operations):
            message = "Two operations of %s are called %s." % (operation.suite, operation.name)
            self.notice("error", Fault("load", message, "Give each a name of its own.", *operation.place))
            return
        self.operations.append(operation)

    def _number(self, case):
        self._send({"frame": "case", "case": len(self.cases), **case.keys()})
        self.cases.append(case)


def _benchmarks(module, source):
    for name, value in list(vars(module).items()):
        if isinstance(value, type):
            if name.startswith("Bench") and value.__module__ == module.__name__:
                yield from _methods(value, source)
        elif _is_benchmark(name, value) and _is_defined_in(value, module):
            yield Benchmark(name, value, source.asked)


def _methods(owner, source):
    seen = set()
    # The class's own first; then what it inherits.
    for ancestor in owner.__mro__:
        for name, value in vars(ancestor).items():
            if name not in seen and _is_benchmark(name, value) and isinstance(value, FunctionType):
                seen.add(name)
                yield Benchmark(owner.__name__ + "::" + name, value, source.asked, owner)


def _is_benchmark(name, value):
    if not name.startswith("bench_") or not callable(value):
        return False
    function = value if isinstance(value, FunctionType) else None
    # With the fixture it is a test, and collected as such.
    taken = function is not None and "benchmark" in function.__code__.co_varnames[: function.__code__.co_argcount]
    return not taken or "parameters" in declared(value)


def _is_defined_in(value, module):
    """What is imported is measured where it is defined."""
    return isinstance(value, partial) or getattr(value, "__module__", None) == module.__name__
