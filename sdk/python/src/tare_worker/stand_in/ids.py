"""The ids of parameter sets, letter by letter as pytest makes them, so that a test has one name with pytest and without it."""

from enum import Enum
from re import Pattern

# What is longer is called by its place (`parametrize_long_str_id_strategy`).
LONGEST = 100
ESCAPES = {code: "\\x%02x" % code for code in [*range(32), 127]}
ESCAPES.update({ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"})


def id_of(name, value, position, label=None):
    """The id of a parameter's value at this place. `label`: what the author calls it, None where that is left to pytest."""
    text = _plain(label) if label is not None else None
    if text is None and not (isinstance(value, (str, bytes)) and len(value) > LONGEST):
        text = _plain(value)
    return text if text is not None else "%s%d" % (name, position)


def escaped(text):
    """Text in ASCII."""
    if isinstance(text, bytes):
        return text.decode("ascii", "backslashreplace").translate(ESCAPES)
    return text.encode("unicode_escape").decode("ascii").translate(ESCAPES)


def _plain(value):
    if isinstance(value, (str, bytes)):
        return escaped(value)
    if value is None or isinstance(value, (bool, int, float, complex)):
        return str(value)
    if isinstance(value, Pattern):
        return escaped(value.pattern)
    text = str(value) if isinstance(value, Enum) else getattr(value, "__name__", None)
    return text if isinstance(text, str) else None
