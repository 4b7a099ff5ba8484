"""The clocks that are read at every call, and the one that is moved by hand."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A clock is callable: seconds since its origin, as `time.time` and `time.monotonic` give them."""

    def __call__(self) -> float: ...

    def read(self) -> float:
        """The same: the cheapest form that can be kept in a variable or handed on."""
        ...

    def read_ns(self) -> int:
        """Nanoseconds since the origin."""
        ...

    @property
    def seconds(self) -> float:
        """Now, as an attribute."""
        ...

    @property
    def nanoseconds(self) -> int:
        """Now, as an attribute."""
        ...


class WallClock:
    """The system's date, since 1970; every read reads it. It is set by people and by NTP, and may go back."""

    # C functions, so that nothing of Python's stands between a call and the clock.
    __call__ = staticmethod(time.time)
    read = staticmethod(time.time)
    read_ns = staticmethod(time.time_ns)

    @property
    def seconds(self) -> float:
        return time.time()

    @property
    def nanoseconds(self) -> int:
        return time.time_ns()


class MonotonicClock:
    """Never goes back, since an arbitrary moment; every read reads it. For timeouts and durations."""

    __call__ = staticmethod(time.monotonic)
    read = staticmethod(time.monotonic)
    read_ns = staticmethod(time.monotonic_ns)

    @property
    def seconds(self) -> float:
        return time.monotonic()

    @property
    def nanoseconds(self) -> int:
        return time.monotonic_ns()


class ManualClock:
    """Stands still until it is moved: for tests."""

    def __init__(self, nanoseconds: int = 0) -> None:
        self._nanoseconds = nanoseconds

    def advance(self, nanoseconds: int) -> None:
        """Time passes. ValueError for less than 0: time doesn't; `step` is for a clock that is set back."""
        if nanoseconds < 0:
            raise ValueError("advance(%d) would go back; step() sets the clock back on purpose" % nanoseconds)
        self._nanoseconds += nanoseconds

    def set(self, nanoseconds: int) -> None:
        """Time passes until the clock shows this. ValueError when it shows more already."""
        if nanoseconds < self._nanoseconds:
            raise ValueError(
                "set(%d) would go back from %d; step() sets the clock back on purpose" % (nanoseconds, self._nanoseconds)
            )
        self._nanoseconds = nanoseconds

    def step(self, nanoseconds: int) -> None:
        """Somebody sets the clock: forwards, or back."""
        self._nanoseconds += nanoseconds

    def __call__(self) -> float:
        return self._nanoseconds / 1e9

    def read(self) -> float:
        return self._nanoseconds / 1e9

    def read_ns(self) -> int:
        return self._nanoseconds

    @property
    def seconds(self) -> float:
        return self._nanoseconds / 1e9

    @property
    def nanoseconds(self) -> int:
        return self._nanoseconds
