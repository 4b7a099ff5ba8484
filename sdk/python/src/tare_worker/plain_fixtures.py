"""Fixtures without pytest: found by name, set up when they are asked for, taken down in reverse."""

from tare_worker.fault import Fault
from tare_worker.signature import GENERATOR, Signature
from tare_worker.stand_in import FixtureDefinition


class Fixtures:
    """Definitions by name; the innermost counts."""

    def __init__(self, found=None):
        self._found = dict(found or {})

    def add(self, namespace):
        for value in list(namespace.values()):
            if isinstance(value, FixtureDefinition):
                self._found[value.name] = value

    def within(self, owner):
        """With those of a class."""
        inner = Fixtures(self._found)
        for ancestor in reversed(owner.__mro__):
            inner.add(vars(ancestor))
        return inner

    def find(self, name):
        return self._found.get(name)

    def automatic(self):
        return [name for name, definition in self._found.items() if definition.autouse]

    def closure(self, names, direct):
        """The names and, after them, what they need in turn; what is given directly needs nothing."""
        found = []
        pending = list(names)
        while pending:
            name = pending.pop(0)
            if name in found:
                continue
            found.append(name)
            definition = self._found.get(name)
            if definition is not None and name not in direct:
                pending += [argument for argument in Signature(definition.function).required if argument != "self"]
        return found


class Node:
    """As much of the test as fixtures look at."""

    def __init__(self, name):
        self.name = name


class Request:
    """What a fixture gets as `request`, and the values of the test's fixtures."""

    def __init__(self, fixtures, values, parameters, instance, module, name):
        self._fixtures = fixtures
        self._values = values
        self._parameters = parameters
        self._finalizers = []
        self.instance = instance
        self.module = module
        self.cls = type(instance) if instance is not None else None
        self.node = Node(name)
        self.function = getattr(module, name, None)

    def getfixturevalue(self, argname):
        """Sets the fixture up when it is asked for first."""
        if argname == "request":
            return self
        if argname not in self._values:
            definition = self._fixtures.find(argname)
            if definition is not None:
                self._values[argname] = self._set_up(definition)
            elif argname in BUILT_IN:
                self._values[argname] = BUILT_IN[argname](self)
            else:
                raise Fault(
                    "load",
                    "There is no fixture `%s`, and pytest, which may have one, isn't installed for this Python." % argname,
                    "Install pytest for it.",
                )
        return self._values[argname]

    def addfinalizer(self, finalizer):
        self._finalizers.append(finalizer)

    def end(self):
        """Takes the fixtures down, the last one first."""
        while self._finalizers:
            self._finalizers.pop()()

    def _set_up(self, definition):
        function = definition.function
        wants = Signature(function).required
        args = (self.instance,) if wants[:1] == ("self",) else ()
        request = Parameterised(self, self._parameters.get(definition.name))
        values = {
            name: request if name == "request" else self.getfixturevalue(name) for name in wants if name != "self"
        }
        made = function(*args, **values)
        if not function.__code__.co_flags & GENERATOR:
            return made
        value = next(made)
        self.addfinalizer(lambda: next(made, None))
        return value


class Parameterised:
    """The request of one fixture: with its own parameter."""

    def __init__(self, request, param):
        self._request = request
        self.param = param

    def __getattr__(self, name):
        return getattr(self._request, name)


def _temporary_folder(request):
    import pathlib
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="tare-")
    request.addfinalizer(lambda: shutil.rmtree(folder, ignore_errors=True))
    return pathlib.Path(folder)


BUILT_IN = {"tmp_path": _temporary_folder}
