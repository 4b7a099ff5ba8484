"""Operations, one after the other: each as soon as the one before has ended (closed loop), or when it is due (open loop). Latencies are
put into buffers that are there from the beginning; they are sent between operations, when a slice of time is over."""

from array import array
from time import sleep

from tare_worker import frames
from tare_worker.fault import Fault

# Latencies of one operation that are kept until they are sent.
BUFFER = 4096
# Kinds of failures of one operation and slice that are told apart.
KINDS = 32
# After so many failures in succession a closed loop that has an end in time waits before each other one: what is gone isn't hammered.
PATIENCE = 10
# Nanoseconds of the first wait, and of the longest; each is twice as long as the one before.
FIRST_WAIT = 10_000_000
LONGEST_WAIT = 1_000_000_000
# Nanoseconds after which a beginning is late.
LATE = 1_000_000
FOREVER = 2**63


class Work:
    """`send` takes a frame without its id, and says whether anybody reads it; `now` and `sleep` are the clock's."""

    def __init__(self, send, now, sleep=sleep):
        self._send = send
        self._now = now
        self._sleep = sleep
        self._latencies = {}
        self._filled = {}
        self._late = {}
        self._failures = {}
        self.begun = 0
        self.ended = 0
        self.dropped = 0

    def run(self, calls, worker, start, pattern, gaps, first, count, duration, slice):
        """`start` is on the clock `now`; `gaps` are empty for a closed loop; `count` and `duration` are 0 where they don't end it."""
        now = self._now
        for operation in set(pattern):
            self._latencies[operation] = array("q", bytes(8 * BUFFER))
            self._filled[operation] = self._late[operation] = 0
            self._failures[operation] = {}
        latencies, filled = self._latencies, self._filled
        end = start + duration if duration else FOREVER
        left = count if count else FOREVER
        due = start + first
        gap = at = number = failing = 0
        wait = FIRST_WAIT
        slice_ends = start + slice
        self._wait_until(start)
        moment = now()
        while left > 0 and moment < end:
            if gaps:
                if due >= end:
                    break
                if due > moment:
                    self._wait_until(due)
                intended = due
                due += gaps[gap]
                gap = gap + 1 if gap + 1 < len(gaps) else 0
            operation = pattern[at]
            at = at + 1 if at + 1 < len(pattern) else 0
            left -= 1
            call = calls[operation]
            raised = None
            began = now()
            try:
                call(worker)
                moment = now()
            except Exception as error:
                moment = now()
                raised = error
            worker.turn += 1
            self.begun += 1
            if moment >= slice_ends:
                if not self._tell(number):
                    break
                number = (moment - start) // slice
                slice_ends = start + (number + 1) * slice
            if raised is not None:
                self._fail(operation, raised)
            else:
                latencies[operation][filled[operation]] = moment - (intended if gaps else began)
                filled[operation] += 1
            if gaps and began - intended > LATE:
                self._late[operation] += 1
            self.ended = moment - start
            if filled[operation] == BUFFER and not self._tell(number):
                break
            if raised is None:
                failing, wait = 0, FIRST_WAIT
            else:
                failing += 1
                if failing >= PATIENCE and duration and not gaps:
                    self._wait_until(min(moment + wait, end))
                    wait = min(2 * wait, LONGEST_WAIT)
                    moment = now()
        self._tell(number)
        while gaps and left > 0 and due < end and due <= moment:
            self.dropped += 1
            left -= 1
            due += gaps[gap]
            gap = gap + 1 if gap + 1 < len(gaps) else 0

    def _wait_until(self, at):
        while True:
            left = at - self._now()
            if left <= 0:
                return
            self._sleep(left / 1e9)

    def _fail(self, operation, raised):
        kinds = self._failures[operation]
        kind = type(raised).__name__
        if kind not in kinds and len(kinds) >= KINDS:
            kind = "other"
        if kind not in kinds:
            kinds[kind] = [0, frames.clean(Fault.of(raised, "exception").message[:200])]
        kinds[kind][0] += 1

    def _tell(self, number):
        reads = True
        for operation, count in self._filled.items():
            failures = self._failures[operation]
            if count == 0 and not failures:
                continue
            frame = {"frame": "slice", "operation": operation, "slice": number, "late": self._late[operation]}
            if count:
                frame["latencies"] = self._latencies[operation][:count].tolist()
            if failures:
                frame["failures"] = [frames.clean(kind[:100]) for kind in failures]
                frame["failed"] = [told[0] for told in failures.values()]
                frame["messages"] = [told[1] for told in failures.values()]
            reads = self._send(frame) is not False and reads
            self._filled[operation] = self._late[operation] = 0
            self._failures[operation] = {}
        return reads
