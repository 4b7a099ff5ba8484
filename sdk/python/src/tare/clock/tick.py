"""The clock that is read once a turn.

CPython reads a plain attribute of an instance in a tenth of what a call of `time.time` takes, but only where the class has neither a
`__getattr__` nor a descriptor of that name: these switch off the specialised instruction. So a clock in a tick is an instance of a
class without them, and one outside of a class with properties; `tick` and `end` change `__class__`.
"""

from __future__ import annotations

from typing import Callable, Optional

from tare.clock.sources import Clock, WallClock


class TickClock:
    """Reads its source once in each turn of an event loop.

    - Within a tick every read gives the same instant: `clock()`, `read`, `read_ns`, `seconds` and `nanoseconds` are one reading.
    - It is taken by `tick`, so it is never older than the tick.
    - Outside a tick every read is a fresh one.
    - Where the source raises, `tick` does too, and the clock is outside a tick.
    - It belongs to the thread of its loop. A tick lasts until the next `tick` or `end`, so what another thread would read while the loop
      sleeps is as old as that.

    `seconds` and `nanoseconds` are the cheap way. `read` and `read_ns` are functions that may be kept and handed on
    (`TTLCache(…, timer=clock.read)`), cheaper than the clock itself, which is callable, too.

    Raises an AttributeError where `source` is no clock.
    """

    seconds: float
    nanoseconds: int
    read: Callable[[], float]
    read_ns: Callable[[], int]

    def __new__(cls, source: Optional[Clock] = None) -> "TickClock":
        return super().__new__(_Outside if cls is TickClock else cls)

    def __init_subclass__(cls, **arguments: object) -> None:
        if cls.__module__ != __name__:
            raise TypeError("TickClock can't be subclassed: it changes its class with each loop; wrap it, or give it another source")
        super().__init_subclass__(**arguments)

    def __init__(self, source: Optional[Clock] = None) -> None:
        source = WallClock() if source is None else source
        if not hasattr(source, "read") or not hasattr(source, "read_ns"):
            raise TypeError("a source has read() and read_ns(), as WallClock() and MonotonicClock() have; %r hasn't" % (source,))
        self._fresh = source.read
        self._fresh_ns = source.read_ns

        # Functions of this clock alone: calling one is cheaper than calling a method.
        def read() -> float:
            return self.seconds

        def read_ns() -> int:
            return self.nanoseconds

        self.read = read
        self.read_ns = read_ns

    def tick(self) -> None:
        """A turn begins: the source is read, and what it gives is kept until the next `tick` or `end`."""
        nanoseconds = self._fresh_ns()
        # Through the dictionary, where the properties of a clock outside a tick aren't in the way; the class last, so that no signal handler
        # finds it without its attributes. The first time a new dictionary, because CPython 3.11 has no fast way into one that began as the
        # inline values of an instance.
        kept = self.__dict__
        if "nanoseconds" in kept:
            kept["nanoseconds"] = nanoseconds
            kept["seconds"] = nanoseconds / 1e9
        else:
            self.__dict__ = {**kept, "nanoseconds": nanoseconds, "seconds": nanoseconds / 1e9}
        self.__class__ = _Inside

    def end(self) -> None:
        """The turn is over, and no other has begun: every read is a fresh one until the next `tick`."""
        if self.__class__ is not _Outside:
            self.__class__ = _Outside

    def __enter__(self) -> "TickClock":
        """A block is a turn: `tick` at its begin, `end` at its end, also by an exception."""
        self.tick()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __call__(self) -> float:
        return self.seconds

    def __repr__(self) -> str:
        return "<TickClock %s a tick>" % ("in" if self.__class__ is _Inside else "outside")


class _Inside(TickClock):
    def tick(self) -> None:
        """As above, from one tick to the next."""
        try:
            self.nanoseconds = nanoseconds = self._fresh_ns()
            self.seconds = nanoseconds / 1e9
        except BaseException:
            self.end()
            raise


class _Outside(TickClock):
    @property
    def seconds(self) -> float:
        return self._fresh()

    @property
    def nanoseconds(self) -> int:
        return self._fresh_ns()


for _class in (_Inside, _Outside):
    _class.__name__ = _class.__qualname__ = "TickClock"
