"""What a benchmark reports of itself, beside its time."""

from math import isfinite

MOST = 100
LONGEST = 200

_metrics = {}
_labels = []


def metric(name, value):
    """A figure of the last sample, such as a hit rate. The last value of a name counts."""
    name = str(name)[:LONGEST]
    try:
        plain = None if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)
    except OverflowError:
        plain = None
    if plain is None or not isfinite(plain):
        raise ValueError("the metric %s wants a finite number, not a %s" % (name, type(value).__name__))
    if isinstance(value, int) and abs(value) <= 2**53:
        plain = int(value)
    if name not in _metrics and len(_metrics) >= MOST:
        raise ValueError("there are more than %d metrics" % MOST)
    _metrics[name] = plain


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
