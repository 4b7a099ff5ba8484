"""An asyncio loop whose turns are ticks."""

from __future__ import annotations

import asyncio
import selectors
from typing import Optional

from tare.clock.tick import TickClock


class TickingSelector(selectors.BaseSelector):
    """A selector whose every wait ends a tick and is followed by a new one: for loops of your own around `select`, and what
    `TickingEventLoop` is made of. Who leaves the loop calls `end` of the clock, or `close`."""

    def __init__(self, clock: TickClock, selector: Optional[selectors.BaseSelector] = None) -> None:
        """`selector` does the work; the platform's best one where none is given."""
        self._clock = clock
        self._selector = selectors.DefaultSelector() if selector is None else selector

    def select(self, timeout=None):
        # A signal handler runs within the wait, and what it reads must not be as old as the wait is long.
        self._clock.end()
        try:
            return self._selector.select(timeout)
        finally:
            try:
                self._clock.tick()
            except Exception:
                # A loop doesn't survive an error here. Reads are fresh now, so whoever reads meets the error itself.
                pass

    def register(self, fileobj, events, data=None):
        return self._selector.register(fileobj, events, data)

    def unregister(self, fileobj):
        return self._selector.unregister(fileobj)

    def modify(self, fileobj, events, data=None):
        return self._selector.modify(fileobj, events, data)

    def get_map(self):
        return self._selector.get_map()

    def get_key(self, fileobj):
        return self._selector.get_key(fileobj)

    def close(self):
        self._clock.end()
        self._selector.close()


class TickingEventLoop(asyncio.SelectorEventLoop):
    """An asyncio loop that drives a clock: a tick lasts from the end of one wait for events to the begin of the next.

        clock = TickClock()
        with asyncio.Runner(loop_factory=lambda: TickingEventLoop(clock)) as runner:    # Python 3.11
            runner.run(main())

    Before the loop runs, and when it has stopped for whatever reason, reads are fresh. `loop.time()` stays what it is.
    """

    def __init__(self, clock: TickClock, selector: Optional[selectors.BaseSelector] = None) -> None:
        super().__init__(TickingSelector(clock, selector))
        self._tick_clock = clock

    def run_forever(self) -> None:
        try:
            super().run_forever()
        finally:
            self._tick_clock.end()
