"""Samples the stacks of the prepared case where the core asks for it; never in a launch that is timed.

A timer of the process's CPU time sends a signal, and its handler looks at the frames of the main thread. Between two
bytecodes, that is: the time of a function in C is its caller's.
"""

import os
import signal

# Seconds between samples: not in step with what ticks by the millisecond.
PERIOD = 0.00101
OWN = os.path.dirname(os.path.abspath(__file__))


class Sampling:
    def __init__(self, path):
        self._path = path
        self._seen = {}
        signal.signal(signal.SIGPROF, self._take)
        signal.setitimer(signal.ITIMER_PROF, PERIOD, PERIOD)

    def _take(self, number, frame):
        codes = []
        while frame is not None:
            code = frame.f_code
            # What lies outwards of it is the worker.
            if code.co_filename.startswith(OWN) or code.co_filename.startswith("<tare"):
                break
            codes.append(code)
            frame = frame.f_back
        key = tuple(codes)
        self._seen[key] = self._seen.get(key, 0) + 1

    def end(self):
        signal.setitimer(signal.ITIMER_PROF, 0)
        with open(self._path, "w", encoding="utf-8", errors="backslashreplace") as file:
            for codes, count in self._seen.items():
                if codes:
                    file.write("%s %d\n" % (";".join(map(_name, reversed(codes))), count))


def _name(code):
    name = getattr(code, "co_qualname", code.co_name)
    text = "%s:%s" % (os.path.basename(code.co_filename), name)
    return "".join(c if c.isprintable() and c != ";" else "?" for c in text)


def begin():
    """The sampling that the core asks for by TARE_PROFILE, or None."""
    path = os.environ.get("TARE_PROFILE")
    return Sampling(path) if path else None
