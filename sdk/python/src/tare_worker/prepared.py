"""The case that is ready to run: its loop, its null's and its pause's."""

from tare import timer
from tare_worker.call_path import AwaitedPath, CallPath, ClockPath, NullPath
from tare_worker.kernels import KERNELS
from tare_worker.null_subject import null_of

PAUSE = "tare.pause(); tare.resume()"


class SampleHooks:
    """Around each sample: gives the path the arguments that `around.before(calls)` returns, then calls `around.after()`.

    Around a null or a pause the same is done, but the subject hasn't run there; what an author's teardown then misses is no failure.
    """

    def __init__(self, around, strict=True):
        self._around = around
        self._strict = strict

    def forgiving(self):
        """The same, for subjects that aren't the case."""
        return SampleHooks(self._around, strict=False)

    def before(self, path, calls):
        path.bind(*self._around.before(calls))

    def after(self):
        try:
            self._around.after()
        except Exception:
            if self._strict:
                raise


class Prepared:
    """A subject with the way to call it, and what the worker must know of it."""

    def __init__(
        self, subject, clock, args=(), kwargs=None, run=None, hooks=None, collects=None, pauses=False, processes=None, remedy=None
    ):
        """`run` is there for a subject that is awaited: it runs a coroutine to its end. `hooks` are called around each sample. `collects` says
        whether the garbage collector is on in its samples; None leaves it as the program has it. `remedy`: what to do where a call fails."""
        self._hooks = hooks
        self.remedy = remedy
        self.collects = collects
        self.pauses = pauses
        self.processes = processes or {}
        kwargs = kwargs or {}
        timer.use(clock)

        def null(body):
            if run is not None:
                return AwaitedPath(null_of(subject, args, kwargs, body)[0], clock, run, args, kwargs)
            return NullPath(lambda args, kwargs: null_of(subject, args, kwargs, body), clock, args, kwargs)

        self.paths = {
            "case": CallPath(subject, clock, args, kwargs) if run is None else AwaitedPath(subject, clock, run, args, kwargs),
            "null": null("pass"),
            "pause": null(PAUSE),
        }

    def hooks(self, subject):
        """What the author wants done around the samples of `case`, `null` or `pause`; None for nothing."""
        return self._hooks if subject == "case" or self._hooks is None else self._hooks.forgiving()


def plain_paths(clock):
    """The subjects of `run` that need no case, on the plainest call path: a function without arguments."""
    timer.use(clock)
    model = next(iter(KERNELS.values()))
    paths = {"clock": ClockPath(clock), "null": CallPath(null_of(model, (), {})[0], clock)}
    paths["pause"] = CallPath(null_of(model, (), {}, PAUSE)[0], clock)
    for name, kernel in KERNELS.items():
        paths["kernel/" + name] = CallPath(kernel, clock)
    return paths
