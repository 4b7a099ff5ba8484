"""Leaves stretches of a benchmark out of its time.

    def bench_sort():
        tare.pause()
        values = shuffled()
        tare.resume()
        values.sort()

A pair costs time of its own, which Tare calibrates and takes off. The state is the process's: one thread may pause.
"""

from time import perf_counter_ns

_clock = perf_counter_ns
_since = None
_paused = 0
_pairs = 0


def pause():
    """Stops the time. RuntimeError when it is stopped already."""
    global _since
    if _since is not None:
        raise RuntimeError("tare.pause() while the time is paused already; call tare.resume() first")
    _since = _clock()


def resume():
    """Lets the time go on. RuntimeError when it isn't stopped."""
    global _since, _paused, _pairs
    now = _clock()
    if _since is None:
        raise RuntimeError("tare.resume() while the time isn't paused; call tare.pause() first")
    _paused += now - _since
    _since = None
    _pairs += 1


def use(clock):
    """For the worker: the clock of the samples, which the stretches are read from, too."""
    global _clock
    _clock = clock


def begin():
    """For the worker: before a sample."""
    global _since, _paused, _pairs
    _since = None
    _paused = 0
    _pairs = 0


def end():
    """For the worker: after a sample, the nanoseconds paused in it. RuntimeError when it ended in a pause."""
    if _since is not None:
        raise RuntimeError("the sample ended while the time was paused; every tare.pause() needs its tare.resume()")
    return _paused


def pairs():
    """For the worker: pairs in the sample."""
    return _pairs
