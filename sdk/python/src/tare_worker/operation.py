"""What is marked with `tare.operation`: those of one class are a suite, and those of one module outside of classes."""

from types import FunctionType

from tare.declaration import declared
from tare.load import LoadWorker
from tare_worker.fault import Fault


class Operation:
    """`owner` is the class, None outside of one."""

    def __init__(self, function, owner, module, asked):
        self.function = function
        self.owner = owner
        self.weight, name = declared(function)["operation"]
        self.name = name or function.__name__
        self.suite = owner.__name__ if owner is not None else module.__name__
        self.place = (asked, function.__code__.co_firstlineno)

    def keys(self):
        file, line = self.place
        return {"suite": self.suite, "name": self.name, "weight": self.weight, "file": file, "line": line}


def operations(module, asked):
    """Those that the module defines, in the order of their definition."""
    found = []
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            names = {}
            # What a class inherits comes first, and what it defines anew takes its place.
            for ancestor in reversed(value.__mro__):
                names.update((name, member) for name, member in vars(ancestor).items() if _is_operation(member))
            found.extend(Operation(member, value, module, asked) for member in names.values())
        elif _is_operation(value) and value.__module__ == module.__name__:
            found.append(Operation(value, None, module, asked))
    return found


def _is_operation(value):
    return isinstance(value, FunctionType) and "operation" in declared(value)


class Suite:
    """The operations of one suite, set up: `calls` by number, each to be called with the worker."""

    def __init__(self, numbered, number, workers, turn=0):
        self.worker = LoadWorker(number, workers, turn)
        self._numbered = numbered
        self._instance = None
        self.calls = {}
        first = next(iter(numbered.values()))
        self.place = first.place
        self.name = first.suite
        try:
            if first.owner is not None:
                self._instance = _called(first.owner, self.worker, first.owner.__init__, 1)
            else:
                self._once("before")
            for at, operation in numbered.items():
                call = operation.function
                if self._instance is not None:
                    call = call.__get__(self._instance)
                self.calls[at] = call if _takes(operation.function, first.owner is not None) else _without(call)
        except BaseException as raised:
            raise Fault.of(raised, "load", "%s was set up" % self.name).or_at(*self.place) from None

    def finish(self):
        try:
            close = getattr(self._instance, "close", None)
            if close is not None:
                close()
            elif self._instance is None:
                self._once("after")
        except BaseException as raised:
            raise Fault.of(raised, "exception", "%s was cleaned up" % self.name).or_at(*self.place) from None

    def _once(self, kind):
        functions = []
        for operation in self._numbered.values():
            function = declared(operation.function).get(kind)
            if function is not None and function not in functions:
                functions.append(function)
        for function in functions:
            _called(function, self.worker, function, 0)


def _called(function, worker, signature, own):
    return function(worker) if _arguments(signature) > own else function()


def _takes(function, is_method):
    return _arguments(function) > (1 if is_method else 0)


def _arguments(function):
    code = getattr(function, "__code__", None)
    return 0 if code is None else code.co_argcount


def _without(call):
    return lambda _worker: call()
