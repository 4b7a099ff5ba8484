"""Tare for Python: what a benchmark can say of itself.

    import tare

    @tare.parameters(size=[10, 1000])
    def bench_sort(size):
        sorted(range(size, 0, -1))

Files with this import also run by hand; the decorators only mark functions.
"""

from tare.declaration import (
    after,
    base,
    before,
    collects,
    groups,
    iterations,
    parameters,
    pauses,
    processes,
    samples,
    setup,
    skip,
    teardown,
    timeout,
    unit,
)
from tare.account import label, metric
from tare.load import LoadWorker, operation
from tare.timer import pause, resume

__all__ = [
    "LoadWorker",
    "after",
    "base",
    "before",
    "collects",
    "groups",
    "iterations",
    "label",
    "metric",
    "operation",
    "parameters",
    "pause",
    "pauses",
    "processes",
    "resume",
    "samples",
    "setup",
    "skip",
    "teardown",
    "timeout",
    "unit",
]
