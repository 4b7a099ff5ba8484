"""What the process spends on the timed samples of a turn: read before the first and after the last, or around each where others' code runs between them."""

from time import monotonic_ns, process_time_ns

try:
    from resource import getrusage
except ImportError:  # Not every platform has it.
    getrusage = None
else:
    try:
        from resource import RUSAGE_THREAD as WHOSE
    except ImportError:
        # Of the whole process, where the thread's own can't be had.
        from resource import RUSAGE_SELF as WHOSE


class Stretch:
    """`begin()`, samples, `end()`, once or several times, which are added up; all on the thread that measures."""

    __slots__ = ("_wall", "_cpu", "_yields")

    def __init__(self):
        self._wall = self._cpu = self._yields = 0

    def begin(self):
        if getrusage is not None:
            self._yields -= getrusage(WHOSE).ru_nvcsw
        self._cpu -= process_time_ns()
        self._wall -= monotonic_ns()

    def end(self):
        self._wall += monotonic_ns()
        self._cpu += process_time_ns()
        if getrusage is not None:
            self._yields += getrusage(WHOSE).ru_nvcsw

    def keys(self):
        """`wall` and `cpu`, the CPU time of all threads, in nanoseconds, and `yields`: how often the thread gave the CPU up by itself.
        Nothing where one of them can't be had."""
        if getrusage is None:
            return {}
        return {"wall": self._wall, "cpu": self._cpu, "yields": self._yields}
