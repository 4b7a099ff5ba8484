"""How far the calls of a turn bring Python's cyclic garbage collector."""

import gc


class Collector:
    """Counts from `begin` to `end`, in which the collector may run. Makes no container that outlasts it, since containers are what is counted."""

    def __init__(self):
        self._collections = self._pending = self._brought = self._own = 0
        self._due = gc.get_threshold()[0]
        self.begin()
        self.end()
        # What counting itself makes.
        self._own = self._brought

    def begin(self):
        # More than is due brings the next collection no nearer.
        self._collections, self._pending = _collections(), min(gc.get_count()[0], self._due)

    def end(self):
        self._brought = (_collections() - self._collections) * self._due + gc.get_count()[0] - self._pending - self._own

    def keys(self):
        """What `samples` has of it: millionths of a collection. Nothing where the program has set the collector's threshold to 0."""
        return {"collector_ppm": max(0, 1_000_000 * self._brought // self._due)} if self._due > 0 else {}


def _collections():
    # Each older generation is collected with the younger ones, and is counted as the oldest of them.
    total = 0
    for generation in gc.get_stats():
        total += generation["collections"]
    return total
