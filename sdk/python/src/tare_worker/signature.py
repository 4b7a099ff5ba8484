"""What a function wants to be called with. `inspect` takes longer to import than all of this worker, and code objects say enough."""

import sys
from types import FunctionType, MethodType

from tare_worker.fault import Fault

# The module `functools` imports much that isn't needed here.
try:
    from _functools import partial
except ImportError:
    from functools import partial

VARARGS, VARKEYWORDS, GENERATOR, ASYNC_GENERATOR = 0x04, 0x08, 0x20, 0x200


class Signature:
    """The parameters of a function or a bound method; `known` is False for everything else."""

    def __init__(self, function):
        bound = isinstance(function, MethodType)
        function = function.__func__ if bound else function
        self.known = isinstance(function, FunctionType)
        self.positional = self.named = self.required = ()
        self.rest = True
        self.spread = False
        if self.known:
            code = function.__code__
            names = code.co_varnames
            self.positional = names[int(bound) : code.co_argcount]
            self.named = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
            self.rest = bool(code.co_flags & VARKEYWORDS)
            self.spread = bool(code.co_flags & VARARGS)
            defaults = len(function.__defaults__ or ())
            optional = set(self.positional[len(self.positional) - defaults :] if defaults else ())
            optional.update(function.__kwdefaults__ or ())
            self.required = tuple(name for name in self.positional + self.named if name not in optional)

    def takes(self, name):
        """Whether an argument may be given by this name."""
        return self.rest or name in self.positional or name in self.named

    def chosen(self, values):
        """Of the values by name those that the function takes. A function that isn't known takes none."""
        return {name: value for name, value in values.items() if self.takes(name)} if self.known else {}

    def arguments(self, values):
        """The values as arguments by position and by name. Those that the function doesn't take are left out; a C function takes all,
        by position."""
        if not self.known:
            return tuple(values.values()), {}
        args = []
        for name in self.positional:
            if name not in values:
                break
            args.append(values[name])
        given = set(self.positional[: len(args)])
        kwargs = {name: value for name, value in values.items() if name not in given and self.takes(name)}
        return tuple(args), kwargs


def instance_of(owner):
    """An object of a class whose constructor can do without arguments. Raises a Fault of kind `load` where it can't."""
    unittest = sys.modules.get("unittest")
    if unittest is not None and issubclass(owner, unittest.TestCase):
        raise Fault(
            "load",
            "%s is a unittest.TestCase, which only pytest can run with fixtures." % owner.__qualname__,
            "Install pytest and pytest-benchmark for this interpreter (%s), or write the test as a function." % sys.executable,
        )
    constructor = getattr(owner, "__init__", None)
    needed = len(Signature(constructor).required) - 1
    if needed > 0:
        raise Fault(
            "load",
            "The constructor of %s needs %d argument%s; Tare passes none." % (owner.__qualname__, needed, "" if needed == 1 else "s"),
            "Give it defaults, or build what it needs in a fixture or a set-up.",
        )
    return owner()


def function_of(subject):
    """The Python function behind a bound method, a partial or an object with `__call__`; None where there is none."""
    for _ in range(100):
        if isinstance(subject, partial):
            subject = subject.func
        elif isinstance(subject, MethodType):
            subject = subject.__func__
        elif isinstance(subject, FunctionType):
            return subject
        else:
            subject = vars(type(subject)).get("__call__") if not isinstance(subject, type) else None
            if not isinstance(subject, FunctionType):
                return None
    return None


def place_of(subject):
    """File and line of its definition; (None, None) where there is none."""
    function = function_of(subject)
    if function is None:
        return None, None
    return function.__code__.co_filename, function.__code__.co_firstlineno


def is_generator(subject):
    """Whether a call only makes a generator and runs none of the body."""
    function = function_of(subject)
    return function is not None and bool(function.__code__.co_flags & (GENERATOR | ASYNC_GENERATOR))
