"""Decorators that write what they are told to the attribute `__tare__` of a function, a dict, and return the function itself."""

UNITS = ("nanoseconds", "microseconds", "milliseconds", "seconds")
LARGEST = 2**53 - 1


def declared(subject):
    """What the decorators have written; empty for a function without any. `functools.wraps` hands it on."""
    try:
        return vars(subject).get("__tare__", {})
    except TypeError:
        return {}


def _setting(name, value):
    def mark(subject):
        _own(subject)[name] = value
        return subject

    return mark


def _flag(name, subject):
    """For a decorator without arguments, with parentheses or without."""
    mark = _setting(name, True)
    return mark if subject is None else mark(subject)


def _own(subject):
    if not callable(subject):
        raise TypeError("Tare's decorators are for functions, not for %s" % type(subject).__name__)
    found = vars(subject).get("__tare__")
    if found is None or found.get("of") is not subject:
        # `functools.wraps` hands the dict of the wrapped function on; the wrapper gets one of its own.
        found = dict(found or {}, of=subject)
        found["parameters"] = list(found.get("parameters", ()))
        subject.__tare__ = found
    return found


def _count(what, value, least):
    if type(value) is not int or not least <= value <= LARGEST:
        raise ValueError("%s wants an integer from %d to 2**53 - 1, not %r" % (what, least, value))
    return value


def _function(what, function):
    if not callable(function):
        raise TypeError("%s wants a function, not %r" % (what, function))
    return _given(what, function, "function")


def _given(what, function, example):
    """Without parentheses a decorator takes the benchmark for its argument, and would put itself in the benchmark's place."""
    if getattr(function, "__name__", "").startswith("bench_") or declared(function):
        raise TypeError("%s takes an argument: @tare.%s(%s)" % (what, what, example))
    return function


def parameters(sets=None, **values):
    """The inputs of a benchmark.

    `parameters(size=[1, 2], kind=["a", "b"])` makes every combination, the last one changing fastest.
    `parameters({"small": {"size": 1}, "large": {"size": 9}})` names the sets. A function without arguments that returns such a
    dict, or yields `(name, dict)` pairs, is called when the cases are enumerated; it must return the same in every process.
    Several decorators make the product of their sets, the upper ones changing slowest.
    """
    if (sets is None) == (not values):
        raise TypeError("parameters wants either named lists of values, or one dict of sets, or a function that returns one")
    if sets is not None and not callable(sets) and not isinstance(sets, dict):
        raise TypeError("parameters wants a dict of sets or a function that returns one, not %r" % (sets,))
    if sets is not None:
        _given("parameters", sets, "size=[10, 1000]")
    for name, choices in values.items():
        if isinstance(choices, (str, bytes)):
            raise TypeError("the parameter %s wants a list of values; %r is a single one" % (name, choices))
        values[name] = list(choices)

    def mark(subject):
        _own(subject)["parameters"].insert(0, ("product", values) if sets is None else ("sets", sets))
        return subject

    mark.__name__ = "parameters"
    return mark


def setup(function):
    """Calls `function` before each sample, outside the time, with those of the parameters that it names. What it returns, if not
    None, is a dict of arguments that are added to the parameters or take their place, by name."""
    return _setting("setup", _function("setup", function))


def teardown(function):
    """Calls `function` after each sample, outside the time, with those of the arguments that it names."""
    return _setting("teardown", _function("teardown", function))


def before(function):
    """Calls `function` once in each process before everything else, with those of the parameters that it names."""
    return _setting("before", _function("before", function))


def after(function):
    """Calls `function` once in each process when all samples are taken, with those of the parameters that it names."""
    return _setting("after", _function("after", function))


def base(subject=None):
    """The others of the same file, or of the same class, are compared with this one."""
    return _flag("base", subject)


def groups(*names):
    """Groups for `--group`."""
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError("groups wants names: @tare.groups(\"text\", \"slow\")")
    return _setting("groups", list(names))


def iterations(calls):
    """Calls a sample; 0 is one bare call without a loop. Without it Tare finds the number itself."""
    return _setting("iterations", _count("iterations", calls, 0))


def samples(count):
    """Samples in each launch. Without it Tare finds the number itself."""
    return _setting("samples", _count("samples", count, 1))


def timeout(seconds):
    """The longest that anything asked of the benchmark may take, in seconds."""
    if not isinstance(seconds, (int, float)) or not 0 < seconds <= 1e9:
        raise ValueError("timeout wants seconds, more than 0, not %r" % (seconds,))
    return _setting("timeout_ms", max(1, round(seconds * 1000)))


def unit(name):
    """The unit of the report: nanoseconds, microseconds, milliseconds or seconds."""
    if name not in UNITS:
        raise ValueError("unit wants one of %s, not %r" % (", ".join(UNITS), name))
    return _setting("unit", name)


def skip(why):
    """Leaves the benchmark out, and says why."""
    if not isinstance(why, str) or not why:
        raise TypeError("skip wants the reason: @tare.skip(\"needs a network\")")
    return _setting("skip", why)


def processes(bytes=None, items=None):
    """What one call works on, so that rates can be told: bytes, items, or both. A function is called once, with those of the
    parameters that it names."""
    if bytes is None and items is None:
        raise TypeError("processes wants bytes=..., items=..., or both")
    _given("processes", bytes, "bytes=1024")
    for name, amount in (("bytes", bytes), ("items", items)):
        if amount is not None and not callable(amount):
            _count("processes(%s=...)" % name, amount, 0)
    return _setting("processes", {"bytes": bytes, "items": items})


def pauses(subject=None):
    """Says that the benchmark calls `tare.pause()` where Tare can't see it: in another module."""
    return _flag("pauses", subject)


def collects(on=True):
    """Whether Python's cyclic garbage collector is on in the samples of this benchmark; without it, it is as the program has it, which is on
    unless `gc.disable()` was called. `@tare.collects(False)` leaves it off, and it runs between turns."""
    if callable(on):
        return _flag("collects", on)
    if not isinstance(on, bool):
        raise TypeError("collects wants True or False, not %r" % (on,))
    return _setting("collects", on)
