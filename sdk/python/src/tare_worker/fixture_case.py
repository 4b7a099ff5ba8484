"""A test that uses the fixture `benchmark`, as either way of collecting them finds it."""

from tare_worker.fault import Fault
from tare_worker.pedantic import PedanticCalls
from tare_worker.signature import place_of
from tare_worker.values import clean, identifier, printed

LONGEST_NAME = 200


class TestCase:
    """A test with its parameters. `run` sets its fixtures up, calls it and takes them down; it raises what happens on the way."""

    is_test = True
    __test__ = False

    def __init__(self, source, name, parameters, values, function, run, group=None, skip=None, calls=None, expects=None):
        self.benchmark = identifier(name, LONGEST_NAME)
        self.parameters = identifier(parameters, LONGEST_NAME)
        file, line = place_of(function)
        self.place = (file or source.path, line or 1)
        self._file = source.asked
        self._values = values
        self._run = run
        self._group = group
        self._skip = skip
        self._iterations = calls.iterations(line, values) if calls is not None else None
        self._fixture = None
        self._expects = expects

    def expects(self, raised):
        """Why the test was expected to fail so, as an `xfail` says; None where it wasn't."""
        try:
            return self._expects(raised) if self._expects is not None else None
        except Exception:  # A condition that can't be evaluated; what was raised is told.
            return None

    def keys(self):
        """The keys of its `case` frame."""
        shown = list(self._values.items())[:50]
        return {
            "benchmark": self.benchmark,
            "parameters": self.parameters or None,
            "names": [clean(str(name)) for name, _ in shown] or None,
            "values": [printed(value) for _, value in shown] or None,
            "file": self._file,
            "line": self.place[1],
            "groups": [self._group] if isinstance(self._group, str) else None,
            "iterations": self._iterations,
            "skip": self._skip,
        }

    def measure(self, host):
        """Runs the test; the core's requests are served within its call of the fixture."""
        self._fixture = self._run()

    def finish(self, host):
        """Tells what the test left in the fixture."""
        if self._fixture is not None:
            self._fixture.report()


def pedantic_calls(source):
    """What the source says of `benchmark.pedantic`."""
    with open(source.path, "rb") as file:
        return PedanticCalls(file.read())


def unused(place):
    """The test has ended, and its fixture was never called."""
    return Fault("load", "The test doesn't call its fixture `benchmark`.", "Call benchmark(function, ...) in it.", *place)


def passed_strictly(reason):
    """The failure of a test that was to fail, strictly, and passed."""
    message = "It passed, and `xfail(strict=True)` says that it fails" + (": %s" % reason if reason else ".")
    return Fault("exception", message, "Take the mark away, or `strict`, if the test is to be measured.")
