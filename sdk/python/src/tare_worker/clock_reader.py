"""Reads the clocks as a program does, and waits as it does (PROTOCOL 3, `read` and `wait`). Nothing is written or kept beyond buffers
that are made before."""

import gc
import os
import time
from array import array
from itertools import repeat

from tare_worker.clock import CLOCKS, DEFAULT
from tare_worker.fault import Fault

WAITS = ("yield", "sleep")
MOST_PAIRS = 50_000
MOST_READS = 1_000_000
MOST_BLOCKS = 10_000
MOST_WAITS = 10_000
LONGEST_WAIT = 10_000_000_000

_now = CLOCKS[DEFAULT]


class ClockReader:
    def __init__(self):
        self._origins = {}

    def read(self, clock, pairs, skip, blocks, reads):
        """`values`, `blocks` and `empty` of the reply, in nanoseconds."""
        read = CLOCKS[clock]
        values = array("q", bytes(16 * pairs))
        times = array("q", bytes(8 * blocks))
        empty = array("q", bytes(8 * blocks))
        collected = gc.isenabled()
        gc.disable()
        try:
            origin = self._origins.setdefault(clock, read())
            _pairs(read, values, skip)
            for block in range(blocks):
                times[block] = _block(read, reads)
                empty[block] = _empty(reads)
        finally:
            if collected:
                gc.enable()
        return {"values": [value - origin for value in values], "blocks": times.tolist(), "empty": empty.tolist()}

    def wait(self, call, requested, times):
        """Nanoseconds of each wait."""
        wait, argument = (time.sleep, (requested / 1e9,)) if call == "sleep" else (getattr(os, "sched_yield", None), ())
        if wait is None:
            raise Fault("runtime", "This platform has no os.sched_yield.")
        taken = array("q", bytes(8 * times))
        try:
            for number in range(times):
                start = _now()
                wait(*argument)
                taken[number] = _now() - start
        except (ValueError, OSError) as refused:
            raise Fault("runtime", "time.sleep: %s." % refused if call == "sleep" else str(refused)) from None
        return taken.tolist()


def _pairs(read, values, skip):
    for at in range(0, len(values), 2):
        first = read()
        second = read()
        values[at] = first
        values[at + 1] = second
        if skip:
            for _ in repeat(None, skip):
                read()


def _block(read, reads):
    start = _now()
    for _ in repeat(None, reads):
        read()
    return _now() - start


def _empty(reads):
    start = _now()
    for _ in repeat(None, reads):
        pass
    return _now() - start
