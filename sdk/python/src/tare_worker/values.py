"""Prints values for display: bounded, in valid UTF-8, whatever their `__repr__` does."""

from tare_worker.frames import clean

LONGEST = 60
ITEMS = 8
DEPTH = 3

BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}


def printed(value):
    """What a report shows of a value: at most 60 characters."""
    return cut(_printed(value, 0))


def cut(text, longest=LONGEST):
    """Text of at most `longest` characters without control characters, with an ellipsis where it was cut."""
    text = clean(text[: longest + 1])
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _printed(value, depth):
    kind = type(value)
    if kind in (str, bytes, bytearray):
        return repr(value[: LONGEST + 1])
    if kind is int and value.bit_length() > 300:
        return "an integer of %d bits" % value.bit_length()
    if kind in BRACKETS or kind is dict:
        return _items(value, kind, depth)
    if callable(value) and isinstance(getattr(value, "__qualname__", None), str):
        return value.__qualname__
    try:
        text = repr(value)
        if isinstance(text, str):
            return text[: LONGEST * 4]
    except BaseException:  # The user's __repr__ may do anything.
        pass
    return kind.__name__


def _items(value, kind, depth):
    opening, closing = BRACKETS.get(kind, "{}")
    texts = []
    for position, item in enumerate(value):
        if position >= ITEMS or depth >= DEPTH:
            texts.append("…")
            break
        text = _printed(item, depth + 1)
        texts.append(text + ": " + _printed(value[item], depth + 1) if kind is dict else text)
    return opening + ", ".join(texts) + closing


def set_name(name, value, position):
    """How a single value is called in the name of a parameter set, in pytest's manner: itself where it is short and plain, else the
    parameter's name with the value's position."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        text = str(value) if not isinstance(value, int) or value.bit_length() <= 300 else ""
    elif isinstance(value, str):
        text = value
    elif isinstance(value, bytes):
        text = repr(value[: LONGEST + 1])[2:-1]
    else:
        text = getattr(value, "__name__", "")
    if not isinstance(text, str) or not text or len(text) > LONGEST or not text.isprintable():
        text = "%s%d" % (name, position)
    return clean(text)
