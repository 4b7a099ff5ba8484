"""Answers the core's requests, one after the other, until its input ends."""

import gc
import os
import sys

from tare import account
from tare_worker import VERSION, elsewhere, frames, heap, runtime, sampling
from tare_worker import clock_reader, load
from tare_worker.clock import CLOCKS, DEFAULT
from tare_worker.collector import Collector
from tare_worker.fault import Fault
from tare_worker.frames import quoted
from tare_worker.kernels import KERNELS
from tare_worker.prepared import plain_paths
from tare_worker.sampler import take
from tare_worker.stretch import Stretch
from tare_worker.tracing import tracer
from tare_worker.wire import Wire

MOST_SAMPLES = 100_000
MOST_TAKEN = 10_000
REQUESTS = ("load", "prepare", "run", "read", "wait", "finish", *load.REQUESTS)


class Finish(Exception):
    """The `finish` that ends a case in whose midst requests are served."""


class Worker:
    """One process. For a case it is the host: `clock`, `run_coroutine`, `reach`, and `taken`, elapsed nanoseconds and calls of its
    latest samples."""

    def __init__(self, wire, executed=None):
        self._wire = wire
        # What tells which functions run, where nothing is timed.
        self._executed = executed
        self._id = -1
        self._registry = None
        self._case = None
        self._prepared = None
        self._reached = False
        self._finished = False
        self._events = None
        self._threads = 1
        self._folder = elsewhere.started_in()
        elsewhere.redirect(self._folder)
        self.clock = CLOCKS[DEFAULT]
        self.taken = []
        self._paths = plain_paths(self.clock)
        self._reader = clock_reader.ClockReader()
        self._copies = _copies()
        self._descriptors = set()
        self._load_worker = load.Load(lambda frame: self._wire.send(dict(frame, id=self._id)))

    def hello(self):
        self._wire.send(
            {
                "frame": "hello",
                "wire": frames.WIRE,
                "language": "python",
                "version": runtime.version(),
                "sdk": VERSION,
                "correction": "overlapping" if runtime.is_compiling() else "serial",
                "clocks": list(CLOCKS),
                "kernels": list(KERNELS),
                "capabilities": ["pause", "bare", "clocks", "operations", "settle"] + self._copying(),
                "reads": list(CLOCKS),
                "waits": list(clock_reader.WAITS),
                "facts": runtime.facts(),
            }
        )

    def _copying(self):
        asked = [] if self._copies is None else ["loads"] * self._copies.serves_loads() + ["look"] * self._copies.is_look()
        measures = "look" not in asked and hasattr(os, "fork") and os.path.isdir("/proc/self/task")
        return asked + ["copies"] * measures

    def serve(self, within=False):
        """Answers requests until the input ends, and the process with it; or, `within` a case, until `finish`."""
        while True:
            try:
                line = self._wire.read()
                if line is None:
                    self.leave()
                request = frames.decode(line)
            except Fault as fault:
                self._fault(-1 if fault.request is None else fault.request, fault)
                continue
            self._id = request.id
            try:
                if self._is_served_by_a_copy(request):
                    continue
                reply = self._answer(request, within)
            except Finish:
                return
            except Fault as fault:
                self._fault(self._id, fault)
            except BaseException as raised:
                self._fault(self._id, Fault.of(raised, "exception", "the request was handled"))
            else:
                self._wire.send(dict(reply, id=self._id))
            if self._finished and self._is_copy():
                self.leave()

    def _is_served_by_a_copy(self, request):
        if self._copies is None and request.kind == "prepare" and request.has("copy"):
            # A worker that isn't asked has none of it.
            from tare_worker import copies

            self._copies = copies
        is_loaded = self._registry is not None and self._case is None and not self._finished
        return self._copies is not None and self._copies.serve(self._wire, request, self._descriptors, is_loaded)

    def _is_copy(self):
        return self._copies is not None and self._copies.copied_for is not None

    def leave(self):
        """Ends the process without running what the user's code has registered (PROTOCOL 1.6)."""
        for stream in (sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except Exception:  # Closed, or there is none.
                pass
        os._exit(0 if self._copies is None else self._copies.ending())

    def reach(self, prepared):
        """A case is ready: serves requests until its `finish`."""
        if self._reached:
            raise RuntimeError("the benchmark is measured already")
        elsewhere.check(self._folder, sys.modules)
        self._reached = True
        self._prepared = prepared
        self._paths.update(prepared.paths)
        collected = gc.isenabled()
        self._collects_between = prepared.collects is False
        if prepared.collects is None:
            prepared.collects = collected
        gc.disable()
        copied = self._copies is not None and self._copies.copied_for == "prepare"
        # What was old when the process was copied had been collected, or isn't measured.
        gc.collect(1 if copied else 2)
        measures = copied and not self._copies.is_look()
        self._threads = _threads()
        traced = tracer()
        if traced is not None:
            traced.reset_peak()
        sampled = sampling.begin()
        hooked = prepared.hooks("case") is not None
        self._wire.send({"frame": "ready", "id": self._id, "pauses": prepared.pauses, "hooks": hooked, "copied": measures or None})
        self.serve(within=True)
        if sampled is not None:
            sampled.end()
        if collected:
            gc.enable()

    def run_coroutine(self, coroutine):
        """Runs a coroutine to its end, on the one event loop of the process."""
        if self._events is None:
            import asyncio

            self._events = asyncio.new_event_loop()
            asyncio.set_event_loop(self._events)
        return self._events.run_until_complete(coroutine)

    def _answer(self, request, within):
        if request.kind not in REQUESTS:
            raise Fault("unknown-frame", "There is no request %s." % quoted(frames.clean(request.kind[:60])))
        if self._finished:
            raise Fault("bad-request", "Only the end of input may follow `finish`.")
        if request.kind == "load":
            return self._load(request)
        if request.kind == "prepare":
            return self._prepare(request)
        if request.kind == "run":
            return self._run(request)
        if request.kind == "read":
            return self._read(request)
        if request.kind == "wait":
            return self._wait(request)
        if request.kind in load.REQUESTS:
            return self._load_worker.answer(request, self._registry)
        if self._copies is not None and self._copies.stay() and self._registry is None:
            return {"frame": "finished"}
        self._finished = True
        self._load_worker.finish()
        if within:
            raise Finish
        return {"frame": "finished"}

    def _load(self, request):
        files = request.strings("files")
        bootstrap = request.optional_string("bootstrap")
        if self._registry is not None:
            raise Fault("bad-request", "`load` may come once in a process.")
        # Only now: a process that measures nothing but the scale needs none of it.
        from tare_worker import copies
        from tare_worker.collected_tests import CollectedTests
        from tare_worker.registry import Registry

        self._descriptors = copies.descriptors()
        if hasattr(gc, "freeze"):
            # What the worker has isn't the program's: its collections needn't look at it, as they do at what the user's modules make.
            gc.freeze()
        self._registry = Registry(lambda frame: self._wire.send(dict(frame, id=self._id)), CollectedTests(self))
        answered = []

        def then(within_tests=False):
            try:
                elsewhere.check(self._folder, sys.modules)
            except Fault:
                pass  # What is refused is refused to the cases that are reached.
            for fault in elsewhere.shadowed(self._folder, sys.modules):
                self._registry.notice("warning", fault)
            reply = {"frame": "loaded", "cases": len(self._registry.cases), "prelude": (within_tests and bootstrap is None) or None}
            answered.append(reply)
            if within_tests:
                self._wire.send(dict(reply, id=self._id))
                self.serve()

        self._registry.load(files, bootstrap, then)
        return answered[0]

    def _prepare(self, request):
        number = request.integer("case")
        benchmark = request.string("benchmark")
        parameters = request.string("parameters")
        clock = request.optional_string("clock")
        request.optional_boolean("copy")
        if self._registry is None or self._case is not None:
            raise Fault("bad-request", "`prepare` comes once in a process, after `load`.")
        if clock is not None and clock not in CLOCKS:
            raise Fault("bad-request", "There is no clock %s; there are %s." % (quoted(clock[:60]), ", ".join(CLOCKS)))
        case = self._find(number, benchmark, parameters)
        if clock is not None and clock != DEFAULT:
            self.clock = CLOCKS[clock]
            self._paths = plain_paths(self.clock)
        self._case = case
        try:
            case.measure(self)
            if self._finished:
                case.finish(self)
        except BaseException as raised:
            kind = "exception" if self._finished else "load"
            doing = "%s %s" % (case.benchmark, "was finished" if self._finished else "was prepared")
            raise Fault.of(raised, kind, doing).or_at(*case.place) from None
        if not self._finished:
            raise Fault("load", "%s was never measured." % case.benchmark, None, *case.place)
        return self._account()

    def _find(self, number, benchmark, parameters):
        cases = self._registry.cases
        found = cases[number] if number < len(cases) else None
        if found is not None and (found.benchmark, found.parameters) == (benchmark, parameters):
            return found
        what = "is %s %s" % (found.benchmark, quoted(found.parameters)) if found else "does not exist; there are %d" % len(cases)
        raise Fault(
            "provider",
            "Case %d %s in this process, not %s %s." % (number, what, frames.clean(benchmark[:200]), quoted(frames.clean(parameters[:60]))),
            "Make the parameters the same in every process: no random numbers, times, sets or directory listings.",
            *(found.place if found else (None, None))
        )

    def _run(self, request):
        subject = request.string("subject")
        iterations = request.integers("iterations", MOST_SAMPLES)
        warm = request.integer("warm", MOST_SAMPLES)
        settles = request.optional_boolean("settle")
        prepared = self._prepared
        if subject == "case" and prepared is None:
            raise Fault("bad-request", "`run` of the case comes after `prepare`.")
        path = self._paths.get(subject)
        if path is None:
            raise Fault("bad-request", "There is no subject %s." % quoted(frames.clean(subject[:60])))
        # The null stands where the case does: after the same hooks, with the caches that they leave.
        scaled = prepared is not None and subject in ("case", "null", "pause")
        stretch = Stretch() if self._executed is None else self._executed.stretch()
        collects = subject == "case" and prepared.collects
        if subject == "case" and self._collects_between:
            # What was left to nobody would fill the memory.
            gc.collect()
        hooks = prepared.hooks(subject) if scaled else None
        # What an author does around samples, or between two stretches of one, isn't told from a collection there.
        settles = settles and collects and hooks is None and not prepared.pauses
        collector = Collector() if collects and not settles else None
        try:
            elapsed, pairs, enabled = take(path, iterations, warm, stretch, hooks, collects, settles, collector)
        except BaseException as raised:
            expected = self._case.expects(raised) if subject == "case" and self._case.is_test else None
            if expected is not None:
                raise Fault("skipped", "expected to fail: %s" % expected) from None
            doing = "%s ran" % (self._case.benchmark if scaled else subject)
            remedy = prepared.remedy if subject == "case" else None
            raise Fault.of(raised, "exception", doing, remedy).or_at(*(self._case.place if scaled else (None, None))) from None
        if self._executed is not None:
            self._executed.tell()
        if subject == "case":
            prepared.collects = enabled
        if min(elapsed) < 0:
            raise Fault("exception", "The clock was set back in a sample.", "Take a monotonic clock: --clock %s." % DEFAULT)
        if subject == "case" and self._case.is_test:
            self.taken = (self.taken + list(zip(elapsed, iterations)))[-MOST_TAKEN:]
        pauses = subject == "pause" or (subject == "case" and prepared.pauses)
        if not pauses and any(pairs):
            raise Fault(
                "exception",
                "%s paused the time, which its own module doesn't show." % (self._case.benchmark if scaled else subject),
                "Mark the benchmark with @tare.pauses, so that what a pause costs is measured.",
                *(self._case.place if scaled else (None, None))
            )
        return {"frame": "samples", "elapsed": elapsed, "pauses": pairs if pauses else None, **stretch.keys(), **(collector.keys() if collector else {})}

    def _read(self, request):
        clock = request.string("clock")
        limits = (("pairs", 1, clock_reader.MOST_PAIRS), ("skip", 0, clock_reader.MOST_READS))
        limits += (("blocks", 0, clock_reader.MOST_BLOCKS), ("reads", 1, clock_reader.MOST_READS))
        numbers = [request.integer(key, most, least) for key, least, most in limits]
        if clock not in CLOCKS:
            raise Fault("bad-request", "There is no clock %s to read." % quoted(frames.clean(clock[:60])))
        return dict(self._reader.read(clock, *numbers), frame="readings")

    def _wait(self, request):
        call = request.string("call")
        requested = request.integer("requested", clock_reader.LONGEST_WAIT, -clock_reader.LONGEST_WAIT)
        times = request.integer("times", clock_reader.MOST_WAITS, 1)
        if call not in clock_reader.WAITS:
            raise Fault("bad-request", "There is no call %s to wait by." % quoted(frames.clean(call[:60])))
        return {"frame": "waited", "taken": self._reader.wait(call, requested, times)}

    def _account(self):
        """What the benchmark reported of itself."""
        labels = account.labels()
        left = _threads() - self._threads
        if left > 0:
            labels.append("left %d thread%s running" % (left, "" if left == 1 else "s"))
        if not self._prepared.collects:
            labels.append("garbage collector off")
        reply = {"frame": "finished", "labels": labels or None}
        reply["metrics"] = ["%s=%r" % pair for pair in account.metrics().items()] or None
        traced = tracer()
        if traced is not None:
            reply["runtime_peak_bytes"] = traced.get_traced_memory()[1]
        reply.update(self._prepared.processes)
        return reply

    def _fault(self, id, fault):
        self._wire.send({"frame": "fault", "id": id, **fault.keys(), "trace": fault.trace})


def _copies():
    """The module that copies the process, where that is asked for and possible: a worker that measures has none of it."""
    if not os.environ.get("TARE_LOOK") and not os.environ.get("TARE_LOADS"):
        return None
    from tare_worker import copies

    return copies if copies.are_asked() else None


def _executed():
    """What tells which functions run, where that is asked for."""
    path = os.environ.get("TARE_FUNCTIONS")
    if not path:
        return None
    from tare_worker.executed import Executed

    return Executed(path)


def _threads():
    threading = sys.modules.get("threading")
    return 1 if threading is None else threading.active_count()


def _tell_crashes():
    """A crash in an extension then says where in the user's code it happened; on the process's own standard error, whatever becomes of
    `sys.stderr`."""
    import faulthandler

    try:
        faulthandler.enable(file=2, all_threads=False)
    except (OSError, ValueError):  # There is no standard error.
        pass


def main():
    try:
        wire = Wire()
    except OSError as error:
        # There is nobody to tell but the one who started it.
        sys.stderr.write("tare: the wire can't be opened: %s\n" % error)
        sys.exit(1)
    path = os.environ.get("TARE_LOOK")
    if path:
        from tare_worker.look import Look

        wire = Look(wire, path)
    worker = Worker(wire, _executed())
    if os.environ.get("TARE_PRELUDE") == "1":
        from tare_worker import collected_tests

        collected_tests.prelude()
    worker.hello()
    _tell_crashes()
    # Now, and not before the hello: the core has its own start to make meanwhile.
    heap.shake_as_asked()
    worker.serve()
