"""What a benchmark reports of itself, beside its time."""

from math import isfinite

MOST = 100

_metrics = {}
_labels = []


def metric(name, value):
    """A figure of the last sample, such as a hit rate. The last value of a name counts."""
    name = str(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError("the metric %s wants a finite number, not %r" % (name, value))
    if name not in _metrics and len(_metrics) >= MOST:
        raise ValueError("there are more than %d metrics" % MOST)
    _metrics[name] = value


def label(text):
    """What a reader must know of how the benchmark ran."""
    text = str(text)
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
