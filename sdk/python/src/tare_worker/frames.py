"""Codec of the protocol's frames (PROTOCOL §1), in both directions. Knows no stream.

The standard library's `json` keeps the last of two equal keys, takes NaN, and takes longer to import than all of this worker;
only its C functions for strings are used.
"""

from tare_worker.fault import Fault
from tare_worker.request import OTHER, Request

try:
    from _json import encode_basestring_ascii as quoted
    from _json import scanstring
except ImportError:
    from json.decoder import scanstring
    from json.encoder import encode_basestring_ascii as quoted

WIRE = 1
MAX_BYTES = 16 * 1024 * 1024
MAX_INTEGER = 2**53 - 1

SPACE = " \t\r\n"
DIGITS = frozenset("0123456789")
WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", OTHER)}


class Malformed(ValueError):
    """The text isn't JSON."""


def decode(line):
    """Reads one line, bytes without its line feed. Raises a Fault of kind `bad-frame`, with the request's number where it is
    usable."""
    try:
        values, twice = _object(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Fault("bad-frame", "The line is not UTF-8: byte %d." % error.start) from None
    except ValueError as error:
        raise Fault("bad-frame", "The line is no JSON object: %s." % error) from None
    number = values.get("id")
    usable = type(number) is int and 0 <= number <= MAX_INTEGER and "id" not in twice
    request = number if usable else None
    if twice:
        raise Fault("bad-frame", "The key %s stands more than once." % quoted(min(twice)[:60]), request=request)
    if not usable:
        raise Fault("bad-frame", "The request has no `id` that is an integer from 0 to 2^53-1.")
    if type(values.get("frame")) is not str:
        raise Fault("bad-frame", "The request has no string `frame`.", request=request)
    return Request(values["frame"], number, values)


def encode(frame):
    """One line, bytes with its line feed. Keys whose value is None are left out; halves of surrogate pairs are replaced."""
    parts = [quoted(key) + ":" + _written(value) for key, value in frame.items() if value is not None]
    return ("{" + ",".join(parts) + "}\n").encode("ascii")


def clean(text):
    """Text that is valid UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _written(value):
    if isinstance(value, str):
        return quoted(clean(value))
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return "[" + ",".join(map(_written, value) if value and isinstance(value[0], (str, bool)) else map(str, value)) + "]"


def _blank(text, at):
    """The first place from `at` that isn't white space."""
    length = len(text)
    while at < length and text[at] in SPACE:
        at += 1
    return at


def _object(text):
    """The values of the outermost object by key, and the keys that stand more than once."""
    at = _blank(text, 0)
    if text[at : at + 1] != "{":
        raise Malformed("it doesn't begin with a brace")
    values, twice = {}, set()
    at = _blank(text, at + 1)
    ends = text[at : at + 1] == "}"
    while not ends:
        key, at = _key(text, at)
        if key in values:
            twice.add(key)
        values[key], at = _value(text, at)
        at = _blank(text, at)
        ends = text[at : at + 1] == "}"
        if not ends:
            at = _blank(text, _after(text, at, ","))
    if _blank(text, at + 1) != len(text):
        raise Malformed("something follows the object")
    return values, twice


def _after(text, at, wanted):
    if text[at : at + 1] != wanted:
        raise Malformed("there is no %s at character %d" % (wanted, at))
    return at + 1


def _key(text, at):
    key, at = _string(text, _after(text, at, '"'))
    return key, _blank(text, _after(text, _blank(text, at), ":"))


def _value(text, at):
    """A value that a frame may hold, or OTHER, and where it ends."""
    first = text[at : at + 1]
    if first == "[":
        return _array(text, at)
    if first == "{":
        return OTHER, _skip(text, at)
    return _scalar(text, at)


def _scalar(text, at):
    first = text[at : at + 1]
    if first == '"':
        return _string(text, at + 1)
    if first in WORDS:
        word, value = WORDS[first]
        if text.startswith(word, at):
            return value, at + len(word)
    return _number(text, at)


def _string(text, at):
    try:
        return scanstring(text, at, True)
    except (ValueError, SystemError):
        # CPython 3.10 and 3.11 give up without an exception where the module `json` isn't loaded.
        raise Malformed("the string at character %d isn't one" % at) from None


def _number(text, at):
    """An integer, or OTHER for `-0`, a fraction or an exponent."""
    start = at
    at += text.startswith("-", at)
    digits = at
    at = _digits(text, at)
    if at > digits + 1 and text[digits] == "0":
        raise Malformed("a number begins with 0 at character %d" % start)
    whole = at
    if text.startswith(".", at):
        at = _digits(text, at + 1)
    if text[at : at + 1] in ("e", "E"):
        at += 1
        at += text[at : at + 1] in ("+", "-")
        at = _digits(text, at)
    # The longest integer that may be used has 16 digits.
    if at > whole or whole - digits > 20 or text[start:at] == "-0":
        return OTHER, at
    return int(text[start:at]), at


def _digits(text, at):
    start = at
    length = len(text)
    while at < length and text[at] in DIGITS:
        at += 1
    if at == start:
        raise Malformed("there is no value at character %d" % at)
    return at


def _array(text, start):
    """An array of strings, of integers or of booleans; OTHER for what else it holds."""
    end = text.find("]", start)
    plain = text[start + 1 : end].split(",") if end > 0 else []
    # The samples of a request as the core writes them, without a space.
    if len(plain) > 8 and all(item.isdigit() and item.isascii() and len(item) < 17 for item in plain):
        if not any(item[0] == "0" and item != "0" for item in plain):
            return list(map(int, plain)), end + 1
    values = []
    at = _blank(text, start + 1)
    ends = text[at : at + 1] == "]"
    while not ends:
        if text[at : at + 1] in ("[", "{"):
            return OTHER, _skip(text, start)
        value, at = _scalar(text, at)
        values.append(value)
        at = _blank(text, at)
        ends = text[at : at + 1] == "]"
        if not ends:
            at = _blank(text, _after(text, at, ","))
    kinds = set(map(type, values))
    return (values if len(kinds) <= 1 and type(OTHER) not in kinds else OTHER), at + 1


def _skip(text, at):
    """Where the object or array at `at` ends; it is checked, at any depth, and forgotten."""
    closers = []
    while True:
        first = text[at : at + 1]
        if first in ("[", "{"):
            closers.append("]" if first == "[" else "}")
            at = _blank(text, at + 1)
            if text[at : at + 1] != closers[-1]:
                if first == "{":
                    at = _key(text, at)[1]
                continue
        else:
            at = _scalar(text, at)[1]
            at = _blank(text, at)
        while text[at : at + 1] == closers[-1]:
            closers.pop()
            if not closers:
                return at + 1
            at = _blank(text, at + 1)
        at = _blank(text, _after(text, at, ","))
        if closers[-1] == "}":
            at = _key(text, at)[1]
