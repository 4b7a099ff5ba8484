"""What a read through a TickClock costs beside a fresh one, and what a tick with its first read costs. Ten of each a call."""

import time

import tare
from tare.clock import MonotonicClock, TickClock, WallClock

WALL = WallClock()
TICK = TickClock(WALL)
TICK.tick()
MONOTONIC = TickClock(MonotonicClock())
MONOTONIC.tick()


class BenchSeconds:
    """The date as a float: the module's function, and the attribute."""

    @tare.base
    def bench_fresh(self, now=time.time):
        now(), now(), now(), now(), now(), now(), now(), now(), now(), now()

    def bench_tick(self, clock=TICK):
        (clock.seconds, clock.seconds, clock.seconds, clock.seconds, clock.seconds,
         clock.seconds, clock.seconds, clock.seconds, clock.seconds, clock.seconds)

    def bench_turn(self, clock=TICK):
        clock.tick(), clock.seconds, clock.tick(), clock.seconds, clock.tick(), clock.seconds, clock.tick(), clock.seconds
        clock.tick(), clock.seconds, clock.tick(), clock.seconds, clock.tick(), clock.seconds, clock.tick(), clock.seconds
        clock.tick(), clock.seconds, clock.tick(), clock.seconds


class BenchNanoseconds:
    """The date as an integer."""

    @tare.base
    def bench_fresh(self, now=time.time_ns):
        now(), now(), now(), now(), now(), now(), now(), now(), now(), now()

    def bench_tick(self, clock=TICK):
        (clock.nanoseconds, clock.nanoseconds, clock.nanoseconds, clock.nanoseconds, clock.nanoseconds,
         clock.nanoseconds, clock.nanoseconds, clock.nanoseconds, clock.nanoseconds, clock.nanoseconds)


class BenchMonotonic:
    """The monotonic clock as a float."""

    @tare.base
    def bench_fresh(self, now=time.monotonic):
        now(), now(), now(), now(), now(), now(), now(), now(), now(), now()

    def bench_tick(self, clock=MONOTONIC):
        (clock.seconds, clock.seconds, clock.seconds, clock.seconds, clock.seconds,
         clock.seconds, clock.seconds, clock.seconds, clock.seconds, clock.seconds)


class BenchFunction:
    """A function that is kept in a variable: the module's, and the clock's own."""

    @tare.base
    def bench_fresh(self, now=time.time):
        now(), now(), now(), now(), now(), now(), now(), now(), now(), now()

    def bench_tick(self, now=TICK.read):
        now(), now(), now(), now(), now(), now(), now(), now(), now(), now()


class BenchObject:
    """A clock that is called: for code that takes any clock."""

    @tare.base
    def bench_fresh(self, clock=WALL):
        clock(), clock(), clock(), clock(), clock(), clock(), clock(), clock(), clock(), clock()

    def bench_tick(self, clock=TICK):
        clock(), clock(), clock(), clock(), clock(), clock(), clock(), clock(), clock(), clock()
