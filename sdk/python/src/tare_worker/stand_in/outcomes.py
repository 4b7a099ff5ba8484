"""Tests that fail, skip themselves, or expect an exception."""

import re


class Skipped(BaseException):
    """The test isn't for here."""


class Failed(BaseException):
    """The test has failed of its own will."""


def skip(reason="", *, msg=None, allow_module_level=False):
    """As pytest's."""
    raise Skipped(reason or msg or "")


def fail(reason="", pytrace=True, msg=None):
    """As pytest's."""
    raise Failed(reason or msg or "")


def xfail(reason=""):
    """As pytest's."""
    raise Skipped("expected to fail: %s" % reason if reason else "expected to fail")


def exit(reason="", returncode=None):
    """As pytest's."""
    raise SystemExit(reason)


def importorskip(modname, minversion=None, reason=None):
    """As pytest's; the version isn't looked at."""
    try:
        __import__(modname)
    except ImportError as error:
        raise Skipped(reason or "could not import %r: %s" % (modname, error)) from None
    import sys

    return sys.modules[modname]


class Raised:
    """What the block of `raises` gave."""

    value = None
    type = None
    tb = None


class Raises:
    """The context of `raises`."""

    def __init__(self, expected, match):
        self._expected = expected
        self._match = match
        self._raised = Raised()

    def __enter__(self):
        return self._raised

    def __exit__(self, kind, value, traceback):
        if kind is None:
            raise Failed("DID NOT RAISE %r" % (self._expected,))
        if not issubclass(kind, self._expected):
            return False
        self._raised.type, self._raised.value, self._raised.tb = kind, value, traceback
        if self._match is not None and re.search(self._match, str(value)) is None:
            raise AssertionError("%r does not match %r" % (str(value), self._match))
        return True


def raises(expected_exception, *args, match=None, **kwargs):
    """As pytest's: a context, or with a function and its arguments a call."""
    context = Raises(expected_exception, match)
    if not args:
        return context
    with context as raised:
        args[0](*args[1:], **kwargs)
    return raised
