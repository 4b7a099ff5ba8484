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


def identifier(name, longest):
    """A name by which a case is known: without control characters and halves of surrogate pairs, and behind a cut the hash of the whole. Two
    names stay two."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in name[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…" + digest(name)


def digest(text):
    """FNV-1a of 64 bits (Fowler, Noll and Vo), as every worker has it for names."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return "%016x" % value


def content(value, depth=0):
    """What plain values hold, the same in every process; of others, whose code isn't run, the class."""
    kind = type(value)
    if kind in (str, bytes, int, float, complex, bool, type(None)) and not (kind is int and value.bit_length() > 10000):
        return repr(value)
    if depth < 10 and kind in (list, tuple):
        return "%s(%s)" % (kind.__name__, ",".join(content(item, depth + 1) for item in value))
    if depth < 10 and kind in (set, frozenset):
        return "%s(%s)" % (kind.__name__, ",".join(sorted(content(item, depth + 1) for item in value)))
    if depth < 10 and kind is dict:
        return "dict(%s)" % ",".join("%s:%s" % (content(key, depth + 1), content(item, depth + 1)) for key, item in value.items())
    return "%s.%s %s" % (kind.__module__, kind.__qualname__, getattr(value, "__qualname__", ""))


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
    """How a single value is called in the name of a parameter set, in pytest's manner: itself where it is plain, else the parameter's name with the
    value's position."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        text = str(value) if not isinstance(value, int) or value.bit_length() <= 300 else ""
    elif isinstance(value, str):
        text = identifier(value, LONGEST)
    elif isinstance(value, bytes):
        text = identifier(repr(value)[2:-1], LONGEST)
    else:
        text = getattr(value, "__name__", "")
        text = identifier(text, LONGEST) if isinstance(text, str) else ""
    return text or "%s%d" % (name, position)
