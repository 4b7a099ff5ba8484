"""Takes the samples of one turn. Between the first clock read and the last it does no I/O and allocates nothing that stays: the buffers
are made before, and are filled in place. What the process spends on the timed ones is read once before and once after them, or around each where the author wants something done in
between: what others took of the core meanwhile, they took of no sample."""

import gc
import sys
from array import array

from tare import timer


def resting():
    """The functions that watch this thread, and that rest while samples are taken. A look needs its own (`look.py`)."""
    return sys.gettrace(), sys.getprofile()


def take(path, iterations, warm, stretch, hooks=None, collects=False, settles=False, collector=None):
    """The elapsed nanoseconds of each sample, its pause/resume pairs, and whether the collector was on when they were done.

    `iterations` has the calls of each sample, `warm` says how many untimed ones come first, before `stretch` begins. `hooks` has what the author wants done
    around each sample (`before(path, calls)`, `after()`), or is None. The cyclic garbage collector is on in the samples if `collects`, and off when
    they are done: what the worker allocates between turns mustn't bring on a collection that the subject's calls owe. With `settles` the young
    objects that the samples leave behind are collected at the end of the stretch: a launch may end long before the next collection, and work between samples counts
    where nothing else is done there. `collector` counts over all of the samples. Trace and profile functions rest.
    """
    count = len(iterations)
    elapsed = array("q", bytes(8 * count))
    pairs = array("q", bytes(8 * count))
    trace, profile = resting()
    if trace is not None:
        sys.settrace(None)
    if profile is not None:
        sys.setprofile(None)
    if collects:
        gc.enable()
    else:
        gc.disable()
    if collector is not None:
        collector.begin()
    try:
        for position in range(-warm, count):
            if position == 0:
                if settles:
                    gc.collect(0)
                if hooks is None:
                    stretch.begin()
            sample = position if position >= 0 else (position + warm) % count
            calls = iterations[sample]
            if hooks is not None:
                hooks.before(path, calls)
                if position >= 0:
                    stretch.begin()
            timer.begin()
            elapsed[sample] = path.loop(calls) - timer.end()
            pairs[sample] = timer.pairs()
            if hooks is not None:
                if position >= 0:
                    stretch.end()
                hooks.after()
        enabled = gc.isenabled()
        if collector is not None:
            collector.end()
        if settles and enabled:
            gc.collect(0)
        if hooks is None:
            stretch.end()
    finally:
        gc.disable()
        if trace is not None:
            sys.settrace(trace)
        if profile is not None:
            sys.setprofile(profile)
    return elapsed, pairs, enabled
