"""Whether a subject may call `tare.pause()`: looked for in its code, and in the functions and classes of its own module that it names."""

from types import CodeType, FunctionType

from tare import timer
from tare_worker.signature import function_of

MOST = 1000


def may_pause(subject):
    """True also where something else is called `pause`; False where the call lies in another module."""
    pending, seen = [subject], set()
    while pending and len(seen) < MOST:
        item = pending.pop()
        if item is timer.pause:
            return True
        function = function_of(item)
        if function is None or function in seen:
            continue
        seen.add(function)
        names = _names(function.__code__)
        if "pause" in names:
            return True
        for value in map(function.__globals__.get, names):
            if value is timer.pause:
                return True
            if getattr(value, "__module__", None) == function.__module__:
                pending.extend(_functions(value))
        for cell in function.__closure__ or ():
            try:
                pending.append(cell.cell_contents)
            except ValueError:  # Not filled yet.
                continue
        pending.append(getattr(function, "__wrapped__", None))
        owner = getattr(item, "__self__", None)
        if owner is not None:
            pending.extend(_functions(type(owner)))
    return False


def _functions(value):
    if isinstance(value, type):
        return [member for member in vars(value).values() if isinstance(member, FunctionType)]
    return [value]


def _names(code):
    names, pending = set(), [code]
    while pending:
        code = pending.pop()
        names.update(code.co_names)
        pending.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
    return names
