"""Answers the requests of the capability `operations`."""

from tare_worker.clock import CLOCKS, DEFAULT
from tare_worker.fault import Fault
from tare_worker.frames import clean, quoted
from tare_worker.request import MAX_INTEGER
from tare_worker.tracing import tracer

REQUESTS = ("operations", "connect", "stamp", "work")
LONGEST_PATTERN = 100_000
MOST_WORKERS = 100_000
SHORTEST_SLICE = 1_000_000
LONGEST_SLICE = 3_600_000_000_000

_now = CLOCKS[DEFAULT]


class Load:
    """`send` takes frames without their id."""

    def __init__(self, send):
        self._send = send
        self._epoch = _now()
        self._suite = None

    def answer(self, request, registry):
        if request.kind == "stamp":
            return {"frame": "stamped", "at": _now() - self._epoch}
        if registry is None:
            raise Fault("bad-request", "Operations are known after `load`.")
        if request.kind == "operations":
            for number, operation in enumerate(registry.operations):
                self._send({"frame": "operation", "operation": number, **operation.keys()})
            return {"frame": "listed", "operations": len(registry.operations)}
        if request.kind == "connect":
            return self._connect(request, registry.operations)
        return self._work(request)

    def finish(self):
        if self._suite is not None:
            self._suite.finish()

    def _connect(self, request, operations):
        from tare_worker.operation import Suite

        name = request.string("suite")
        workers = request.integer("workers", MOST_WORKERS)
        number = request.integer("worker", workers - 1)
        turn = request.integer("turn") if request.has("turn") else 0
        own = {at: operation for at, operation in enumerate(operations) if operation.suite == name}
        if not own:
            raise Fault("bad-request", "There is no suite %s." % quoted(clean(name[:60])))
        if self._suite is not None:
            raise Fault("bad-request", "`connect` may come once in a process.")
        self._suite = Suite(own, number, workers, turn)
        traced = tracer()
        if traced is not None:
            # What loading and setting up took is no operation's.
            traced.reset_peak()
        return {"frame": "connected"}

    def _work(self, request):
        from tare_worker.work import Work

        start = request.integer("start")
        pattern = request.integers("pattern", LONGEST_PATTERN)
        gaps = request.integers("gaps", LONGEST_PATTERN) if request.has("gaps") else []
        first = request.integer("first") if request.has("first") else 0
        count, duration = request.integer("count"), request.integer("duration", MAX_INTEGER)
        slice = request.integer("slice", LONGEST_SLICE, SHORTEST_SLICE)
        if not (count or duration) or (gaps and not any(gaps)):
            raise Fault("bad-request", "The work has no end: `count` and `duration`, or all of `gaps`, are 0.")
        if self._suite is None:
            raise Fault("bad-request", "`work` comes after `connect`.")
        for operation in set(pattern):
            if operation not in self._suite.calls:
                raise Fault("bad-request", "The suite has no operation %d." % operation)
        work = Work(self._send, _now)
        try:
            work.run(self._suite.calls, self._suite.worker, self._epoch + start, pattern, gaps, first, count, duration, slice)
        except BaseException as raised:
            raise Fault.of(raised, "exception", "operations of %s ran" % self._suite.name).or_at(*self._suite.place) from None
        reply = {"frame": "worked", "operations": work.begun, "ended": max(0, work.ended), "dropped": work.dropped}
        return dict(reply, **_traced())


def _traced():
    traced = tracer()
    if traced is None:
        return {}
    now, peak = traced.get_traced_memory()
    return {"runtime_bytes": now, "runtime_peak_bytes": peak}
