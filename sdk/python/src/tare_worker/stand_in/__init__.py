"""What tests find under the name `pytest` in an interpreter that lacks it: enough for plain tests, and an error for the rest."""

import sys

from tare_worker.stand_in.approximate import approx
from tare_worker.stand_in.marks import Mark, MarkDecorator, Parameters, mark, param
from tare_worker.stand_in.outcomes import Failed, Skipped, exit, fail, importorskip, raises, skip, xfail

__all__ = ["Mark", "MarkDecorator", "Parameters", "approx", "exit", "fail", "fixture", "importorskip", "mark", "param", "raises", "skip", "xfail"]
__version__ = "0"


class FixtureDefinition:
    """A function that `@pytest.fixture` has marked. `scope` doesn't matter: a process runs one test."""

    def __init__(self, function, name, params, ids, autouse):
        self.function = function
        self.name = name or function.__name__
        self.params = params
        self.ids = ids
        self.autouse = autouse
        self.__name__ = function.__name__
        self.__wrapped__ = function

    def __call__(self, *args, **kwargs):
        raise RuntimeError("the fixture %s can't be called; name it among the arguments of the test" % self.name)

    def __get__(self, instance, owner=None):
        # Found on a class, it is called with the test's instance.
        return self


def fixture(function=None, *, scope="function", params=None, autouse=False, ids=None, name=None):
    """As pytest's."""

    def define(function):
        return FixtureDefinition(function, name, None if params is None else list(params), ids, autouse)

    return define if function is None else define(function)


def main(*_args, **_kwargs):
    """A file that runs pytest when it is called by hand isn't called by hand here."""
    raise RuntimeError("pytest isn't installed in %s" % sys.executable)


skip.Exception = Skipped
fail.Exception = Failed


def __getattr__(name):
    raise AttributeError(
        "pytest.%s isn't there: pytest isn't installed in %s, and what stands in for it knows plain tests only. Install pytest there."
        % (name, sys.executable)
    )
