"""Numbers that are nearly equal."""

RELATIVE = 1e-6
ABSOLUTE = 1e-12


class Approximation:
    """Compares numbers, and sequences and dicts of them."""

    __hash__ = None

    def __init__(self, expected, rel, abs):
        self._expected = expected
        self._rel = rel
        self._abs = abs

    def __eq__(self, actual):
        return self._near(actual, self._expected)

    def __repr__(self):
        return "approx(%r)" % (self._expected,)

    def _near(self, actual, expected):
        if isinstance(expected, dict):
            return isinstance(actual, dict) and set(actual) == set(expected) and all(self._near(actual[k], expected[k]) for k in expected)
        if isinstance(expected, (list, tuple)):
            return len(actual) == len(expected) and all(map(self._near, actual, expected))
        if actual == expected:
            return True
        try:
            return abs(actual - expected) <= self._tolerance(abs(expected))
        except TypeError:
            return False

    def _tolerance(self, size):
        if self._rel is None and self._abs is not None:
            return self._abs
        return max((RELATIVE if self._rel is None else self._rel) * size, ABSOLUTE if self._abs is None else self._abs)


def approx(expected, rel=None, abs=None, nan_ok=False):
    """As pytest's, for numbers and for lists, tuples and dicts of them."""
    return Approximation(expected, rel, abs)
