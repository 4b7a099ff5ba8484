"""What a test sees of its own samples in `benchmark.stats`: raw seconds a call, of this process alone. The core computes its results
from all processes, and takes the scale off; nothing of this is sent."""

import statistics


class Seen:
    """Figures are computed when they are asked for, as pytest-benchmark's: also by `stats["mean"]` and `stats.stats.mean`."""

    def __init__(self, taken):
        """`taken` are pairs of elapsed nanoseconds and calls."""
        self.data = [elapsed / max(calls, 1) / 1e9 for elapsed, calls in taken]
        self.iterations = max((calls for _, calls in taken), default=1) or 1
        self.stats = self

    def __getitem__(self, name):
        return getattr(self, name)

    @property
    def rounds(self):
        return len(self.data)

    @property
    def min(self):
        return min(self.data)

    @property
    def max(self):
        return max(self.data)

    @property
    def mean(self):
        return statistics.fmean(self.data)

    @property
    def median(self):
        return statistics.median(self.data)

    @property
    def stddev(self):
        return statistics.stdev(self.data) if len(self.data) > 1 else 0

    @property
    def total(self):
        return sum(self.data)

    @property
    def ops(self):
        return 1 / self.mean if self.mean else 0

    @property
    def sorted_data(self):
        return sorted(self.data)
