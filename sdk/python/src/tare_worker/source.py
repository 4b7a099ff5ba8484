"""Source files as modules, imported as they would be by hand: their folder, or the one above their package, is on the path."""

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType

from tare_worker.fault import Fault


class Source:
    """`path` is absolute, `asked` as the core named it."""

    def __init__(self, asked):
        self.asked = asked
        try:
            self.path = os.path.realpath(asked)
            readable = os.path.isfile(self.path) and os.access(self.path, os.R_OK)
        except (OSError, ValueError):  # A zero byte, half of a surrogate pair.
            self.path, readable = asked, False
        if not readable:
            exists = readable is False and _exists(self.path)
            raise Fault(
                "load",
                "The source is not a readable file." if exists else "The source does not exist.",
                "Check the path and its permissions.",
                asked,
            )

    def has_tests(self):
        """Whether the file is named as one of tests, a function in it asks for the fixture `benchmark`, or a test is marked as one. Compiles it,
        without running it, only if the word is there. Raises a Fault of kind `syntax`."""
        try:
            with open(self.path, "rb") as file:
                text = file.read()
        except OSError as error:
            raise Fault("load", "The source can't be read: %s." % error.strerror, "Check its permissions.", self.asked) from None
        file = os.path.basename(self.path)
        named = file.startswith("test_") or file.endswith("_test.py")
        if b"benchmark" not in text and not named:
            return False
        named = named or b"mark.benchmark" in text
        try:
            pending = [compile(text, self.path, "exec", dont_inherit=True)]
        except (SyntaxError, ValueError) as error:
            raise self.fault(error) from None
        while pending and not named:
            code = pending.pop()
            if "benchmark" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
                return True
            pending.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
        return named

    def load(self):
        """The module, run. Raises what it raises."""
        name, folder = self.name()
        if folder not in sys.path:
            sys.path.insert(0, folder)
        taken = sys.modules.get(name)
        if taken is not None:
            if self.is_module(taken):
                return taken
            # A module of that name is in use; by hand the file would be called __main__.
            name = "tare_source_" + "".join(c if c.isalnum() else "_" for c in self.path)
        if "." in name:
            __import__(name)
            return sys.modules[name]
        loader = SourceFileLoader(name, self.path)
        module = ModuleType(name)
        spec = ModuleSpec(name, loader, origin=self.path)
        spec.has_location = True
        module.__spec__, module.__loader__, module.__file__, module.__cached__ = spec, loader, self.path, spec.cached
        module.__package__ = ""
        sys.modules[name] = module
        try:
            loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        return module

    def name(self):
        """What the module is called, with the packages that it is in, and the folder that it is found from."""
        folder, file = os.path.split(self.path)
        parts = [os.path.splitext(file)[0]]
        while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.basename(folder).isidentifier():
            folder, package = os.path.split(folder)
            parts.insert(0, package)
        return (".".join(parts) if all(part.isidentifier() for part in parts) else parts[-1].replace(".", "_")), folder

    def is_module(self, module):
        """Whether the module is this file's."""
        file = getattr(module, "__file__", None)
        return isinstance(file, str) and os.path.realpath(file) == self.path

    def fault(self, raised):
        """What loading it raised."""
        return Fault.of(raised, "load", "the source was loaded").or_at(self.path, None)


def make_way(folder):
    """Lets a module or package `tare` of the user's, in the folder of a source, be found in the place of the one that comes with Tare."""
    own = os.path.join(folder, "tare")
    if not os.path.isfile(own + ".py") and not os.path.isfile(os.path.join(own, "__init__.py")):
        return
    for name in [name for name in sys.modules if name == "tare" or name.startswith("tare.")]:
        del sys.modules[name]


def _exists(path):
    try:
        return os.path.exists(path)
    except ValueError:
        return False
