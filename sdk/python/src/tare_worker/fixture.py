"""The fixture `benchmark` of pytest-benchmark's tests: the test waits within its call while the core takes samples."""

import sys

from tare import account
from tare_worker.fault import Fault
from tare_worker.null_subject import is_awaited
from tare_worker.pausing import may_pause
from tare_worker.prepared import Prepared, SampleHooks
from tare_worker.running_loop import Within, running_loop


class FixtureAlreadyUsed(Exception):
    """The fixture measures one function a test."""


# What to do about a call that can be made once only.
ONCE = "Tare repeats calls, those of pedantic(rounds=1) too. Give pedantic a `setup=` that makes anew what a call uses up."


class BenchmarkFixture:
    """What the test gets. `group` and `extra_info` may be set; the latter's numbers become metrics, what else it has labels. `collects`
    is that of `Prepared`."""

    enabled = True
    disabled = False
    skipped = False

    def __init__(self, host, name, fullname, param, params, group, collects=None):
        self.name = name
        self.fullname = fullname
        self.param = param
        self.params = params
        self.group = group
        self.extra_info = {}
        self.has_error = False
        self._host = host
        self._declared_group = group
        self._collects = collects
        self._mode = None

    def __call__(self, function_to_benchmark, *args, **kwargs):
        """Measures the function, and returns what one more call of it returns."""
        self._enter("benchmark(...)")
        self._measure(function_to_benchmark, args, kwargs, None)
        return self._call(function_to_benchmark, args, kwargs)

    def pedantic(self, target, args=(), kwargs=None, setup=None, teardown=None, rounds=1, warmup_rounds=0, iterations=1):
        """The same with what is to be done around each sample. `rounds` and `warmup_rounds` have no effect; `iterations` are told to
        the core when the tests are collected."""
        self._enter("benchmark.pedantic(...)")
        kwargs = {} if kwargs is None else kwargs
        for name, value, least in (("iterations", iterations, 1), ("rounds", rounds, 1), ("warmup_rounds", warmup_rounds, 0)):
            if not isinstance(value, int) or value < least:
                raise ValueError("Must have positive int for `%s`." % name)
        if iterations > 1 and setup:
            raise ValueError("Can't use more than 1 `iterations` with a `setup` function.")
        around = _Around(tuple(args), kwargs, setup, teardown)
        hooks = SampleHooks(around) if setup or teardown else None
        self._measure(target, tuple(args), kwargs, hooks, ONCE if rounds == 1 and setup is None else None)
        result = self._call(target, *around.before(1))
        around.after()
        return result

    def weave(self, target, **kwargs):
        # No exception of the user's code: a test that is expected to fail isn't expected to fail of this.
        caller = sys._getframe(1)
        raise Fault(
            "load",
            "benchmark.weave and benchmark.patch can't be measured: the calls happen inside of other code, so there is no loop around them.",
            "Pass the function to benchmark(...) itself.",
            caller.f_code.co_filename,
            caller.f_lineno,
        )

    patch = weave

    @property
    def stats(self):
        """What the samples of this process were, as long as there are any; None before."""
        if not self._host.taken:
            return None
        from tare_worker.seen import Seen

        return Seen(self._host.taken)

    def is_unused(self):
        """Whether the test never measured anything."""
        return self._mode is None

    def report(self):
        """Tells what the test has left in `group` and `extra_info`."""
        if self.group is not None and self.group != self._declared_group:
            account.label("group %s" % (self.group,))
        for name, value in self.extra_info.items():
            try:
                told = account.noted(name, value)
            except ValueError:
                told = False
            if not told:
                account.label(("%s=%s" % (name, value))[:200])

    def _enter(self, mode):
        if self._mode is not None:
            self.has_error = True
            raise FixtureAlreadyUsed("Fixture can only be used once. Previously it was used in %s mode." % self._mode)
        self._mode = mode

    def _measure(self, target, args, kwargs, hooks, remedy=None):
        host = self._host
        run = host.run_coroutine if is_awaited(target) else None
        loop = running_loop()
        if run is not None and loop is not None:
            if not hasattr(loop, "_run_once"):
                raise Fault(
                    "load",
                    "An async function can't be measured within an async test on this event loop (%s)." % type(loop).__name__,
                    "Run the test on asyncio's own loop, or make it a plain function; benchmark(function) awaits what the function gives.",
                )
            run = Within(loop).run
        host.reach(
            Prepared(target, host.clock, args, kwargs, run=run, hooks=hooks, collects=self._collects, pauses=may_pause(target), remedy=remedy),
        )

    def _call(self, target, args, kwargs):
        result = target(*args, **kwargs)
        # Within an async test it is the test that awaits: `await benchmark(function)`.
        return self._host.run_coroutine(result) if is_awaited(target) and running_loop() is None else result


class _Around:
    """`setup` may return the arguments, for one call; `teardown` gets them."""

    def __init__(self, args, kwargs, setup, teardown):
        self._fixed = (args, kwargs)
        self._given = self._fixed
        self._setup = setup
        self._teardown = teardown

    def before(self, calls):
        if self._setup is not None:
            if calls > 1:
                raise ValueError(
                    "the setup of benchmark.pedantic prepares one call, and %d were asked for; leave out --calls" % calls
                )
            given = self._setup()
            if given and any(self._fixed):
                raise TypeError("Can't use `args` or `kwargs` if `setup` returns the arguments.")
            self._given = (tuple(given[0]), dict(given[1])) if given else self._fixed
        return self._given

    def after(self):
        if self._teardown is not None:
            self._teardown(*self._given[0], **self._given[1])
