"""Collects the tests of files that use the fixture `benchmark`: with pytest where the interpreter has it, else with a stand-in."""


def prelude():
    """Imports what collects tests, before a source asks for it: once for all that the process serves (PROTOCOL 1.14). Tests whose files are loaded later find
    pytest as they would have."""
    try:
        from tare_worker import pytest_tests

        pytest_tests.import_all()
    except ImportError:
        pass  # The source that asks for it says what is missing.


class CollectedTests:
    """`host` is the worker."""

    def __init__(self, host):
        self._host = host

    def collect(self, sources, then, notice):
        """Calls `then` with the module and the tests of each source, by path: within pytest, which goes on around it."""
        try:
            import pytest  # noqa: F401
        except ImportError:
            from tare_worker.plain_tests import collect
        else:
            from tare_worker.pytest_tests import collect
        collect(self._host, sources, then, notice)
