"""Clocks for event loops: read once a turn, or set by hand in a test.

    from tare.clock import TickClock, WallClock

    clock = TickClock(WallClock())
    try:
        while True:
            ready = selector.select()
            clock.tick()         # a turn begins
            ...                  # clock.seconds as often as you like
    finally:
        clock.end()              # the loop is left

`TickingEventLoop` is an asyncio loop that does this. docs/tick-clock.md has the contract and what it costs.
"""

from tare.clock.sources import Clock, ManualClock, MonotonicClock, WallClock
from tare.clock.tick import TickClock
from tare.clock.asyncio_loop import TickingEventLoop, TickingSelector

__all__ = ["Clock", "ManualClock", "MonotonicClock", "TickClock", "TickingEventLoop", "TickingSelector", "WallClock"]
