"""What a benchmark reports of itself, beside its time."""

from math import inf, isfinite

MOST = 100
LONGEST = 200

_metrics = {}
_labels = []


def metric(name, value):
    """A figure of the last sample, such as a hit rate. The last value of a name counts. What can't be told, without a name or not finite,
    is left out."""
    noted(name, value)


def noted(name, value):
    """For the worker: whether the figure can be told. Raises a ValueError for what is none."""
    name = str(name)[:LONGEST]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("the metric %s wants a number, not a %s" % (name, type(value).__name__))
    try:
        plain = float(value)
    except OverflowError:
        plain = inf
    if not name or not isfinite(plain):
        # An earlier value is no longer the last one.
        _metrics.pop(name, None)
        return False
    if isinstance(value, int) and abs(value) <= 2**53:
        plain = int(value)
    if name not in _metrics and len(_metrics) >= MOST:
        raise ValueError("there are more than %d metrics" % MOST)
    _metrics[name] = plain
    return True


def label(text):
    """What a reader must know of how the benchmark ran."""
    text = str(text)[:LONGEST]
    if text not in _labels:
        if len(_labels) >= MOST:
            raise ValueError("there are more than %d labels" % MOST)
        _labels.append(text)


def metrics():
    """For the worker: the figures by name."""
    return dict(_metrics)


def labels():
    """For the worker: the labels in their order."""
    return list(_labels)
