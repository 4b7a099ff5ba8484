"""Subjects that do nothing, called the way a given one is."""

from types import FunctionType, MethodType

import tare
from tare_worker.signature import partial

try:
    from _operator import is_
except ImportError:
    from operator import is_

# C functions that do next to nothing, by the number of arguments.
CHEAPEST = ("".isascii, callable, is_)

VARARGS, VARKEYWORDS, COROUTINE = 0x04, 0x08, 0x80


def is_awaited(subject):
    """Whether a call gives a coroutine: an `async def`, bound or with arguments filled in, or an object with an async `__call__`."""
    while isinstance(subject, (partial, MethodType)):
        subject = subject.func if isinstance(subject, partial) else subject.__func__
    if not isinstance(subject, FunctionType):
        subject = getattr(type(subject), "__call__", None)
    code = getattr(subject, "__code__", None)
    return bool(code is not None and code.co_flags & COROUTINE)


def null_of(subject, args, kwargs, body="pass"):
    """A function with `body` in the place of `subject`, and how many arguments by position it takes, with none by name (None: it takes
    all arguments).

    A Python function becomes one with the same signature, a bound method, a partial or an object with `__call__` the same around
    it. Whatever else is called by C (C functions, classes, `itemgetter`, what `lru_cache` gives) becomes a C function, which takes two
    arguments at most and no names: a Python function in its place would weigh more than the subject.
    """
    if isinstance(subject, partial):
        inner, most = null_of(subject.func, (*subject.args, *args), {**subject.keywords, **kwargs}, body)
        if most is not None:
            return partial(inner, *subject.args[:most]), most - len(subject.args[:most])
        return partial(inner, *subject.args, **subject.keywords), None
    if isinstance(subject, MethodType) and isinstance(subject.__func__, FunctionType):
        return MethodType(_emptied(subject.__func__, body), subject.__self__), None
    if isinstance(subject, FunctionType):
        return _emptied(subject, body), None
    called = getattr(type(subject), "__call__", None)
    if isinstance(called, FunctionType):
        return type("Null", (), {"__slots__": (), "__call__": _emptied(called, body)})(), None
    if body == "pass":
        return CHEAPEST[min(len(args), 2)], 2
    names = ["a%d" % i for i in range(len(args))] + (["*"] + list(kwargs) if kwargs else [])
    return _defined(", ".join(names), body, False), None


def _emptied(function, body):
    """An empty function with the parameters and defaults of this one. It is born with its defaults: since 3.13 CPython doesn't specialise
    calls of a function whose defaults were set later."""
    code = function.__code__
    named = code.co_argcount + code.co_kwonlyargcount
    positional = list(code.co_varnames[: code.co_argcount])
    defaults = {}
    values = function.__defaults__ or ()
    for offset, value in enumerate(values, len(positional) - len(values)):
        positional[offset] += _default(defaults, value)
    if code.co_posonlyargcount:
        positional.insert(code.co_posonlyargcount, "/")
    names = positional
    at = named
    if code.co_flags & VARARGS:
        names.append("*" + code.co_varnames[at])
        at += 1
    elif code.co_kwonlyargcount:
        names.append("*")
    values = function.__kwdefaults__ or {}
    for name in code.co_varnames[code.co_argcount : named]:
        names.append(name + (_default(defaults, values[name]) if name in values else ""))
    if code.co_flags & VARKEYWORDS:
        names.append("**" + code.co_varnames[at])
    return _defined(", ".join(names), body, bool(code.co_flags & COROUTINE), defaults)


def _default(defaults, value):
    name = "default_%d" % len(defaults)
    defaults[name] = value
    return "=" + name


def _defined(parameters, body, awaited, defaults=None):
    source = "%s null(%s):\n    %s\n" % ("async def" if awaited else "def", parameters, body)
    namespace = {"__name__": "tare_null", "tare": tare, **(defaults or {})}
    exec(compile(source, "<tare null>", "exec", dont_inherit=True), namespace)
    return namespace["null"]
