"""Units of Python source files: what a change is in, and which names its code mentions.

    python3 -I -B units.py < PATHS     (absolute paths, one a line)

It prints a line of JSON that names the interpreter, then one for each path: its units, or why it has none. Nothing of the files
is executed. What a unit is, and what its names are good for, is said by the crate `tare-units`. Runs on Python 3.8 and later.
"""

import ast
import hashlib
import json
import os
import re
import sys

FORMAT = 2
MOST_BYTES = 16 * 1024 * 1024
MOST_UNITS = 50_000
MOST_NAMES = 50_000
LONGEST_STRING = 1024 * 1024

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
WORD = re.compile(r"[^\W\d]\w*")
# What stands between the conversions of a format: "step%d", "{}_handler", "%(name)s_of".
CONVERSION = re.compile(r"%\([^)]*\)[-#0 +*.\d]*[a-zA-Z]|%[-#0 +*.\d]*[a-zA-Z%]|\{[^{}]*\}")
PIECE = re.compile(r"[\w.\-:/]{1,100}\Z")

# Decorators that hand what they decorate to nobody else, by the module they come from.
BUILTIN = {"staticmethod", "classmethod", "property"}
FROM = {
    "functools": {"lru_cache", "cache", "cached_property", "wraps", "total_ordering", "singledispatch", "singledispatchmethod"},
    "contextlib": {"contextmanager", "asynccontextmanager"},
    "abc": {"abstractmethod"},
    "typing": {"overload", "final", "override", "no_type_check", "runtime_checkable"},
    "typing_extensions": {"overload", "final", "override", "runtime_checkable"},
    "dataclasses": {"dataclass"},
}
# Those whose function may come and go without another trace than its name.
REMOVABLE = BUILTIN | {"lru_cache", "cache", "cached_property", "contextmanager", "asynccontextmanager"}

# Calls that find a value by a name; the position of the name.
BY_NAME = {"getattr": 1, "setattr": 1, "delattr": 1, "hasattr": 1, "import_module": 0, "__import__": 0, "attrgetter": 0, "methodcaller": 0}
COMPUTED_BUILTINS = {"eval", "exec", "compile", "globals", "vars"}
COMPUTED = {"__getattribute__", "__builtins__", "builtins", "load_module", "exec_module", "run_path", "run_module",
            "find_class", "Unpickler", "pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "yaml", "getattr_static",
            "resolve_name", "FunctionType", "CodeType"}
# Calls that load a module, that execute a text, and that open a file, with the position of what says which.
LOADING = {"import_module": 0, "__import__": 0, "spec_from_file_location": 1, "SourceFileLoader": 1, "run_path": 0, "run_module": 0, "resolve_name": 0,
           "find_spec": 0, "exec_module": None, "load_module": None}
RUNNING = {"exec": 0, "eval": 0, "compile": 0}
OPENING = {"open": 0, "read_text": None, "read_bytes": None}
# What finds and runs tests.
RUNNER = re.compile(r"/(?:site|dist)-packages/(?:_pytest|pytest|pluggy|py|pytest_[a-z]+|unittest2|nose)(?:/|\.py$)")
ENUMERATING_BUILTINS = {"dir", "vars", "globals"}
ENUMERATING = {"__dict__", "getmembers", "__subclasses__", "get_objects", "get_referrers", "get_referents",
               "iter_modules", "walk_packages", "classify_class_attrs", "getmembers_static"}
# Namespaces of whichever module a frame or a function is of.
NAMESPACES = {"f_globals", "f_locals", "__globals__"}
ITERATING = {"list", "tuple", "set", "dict", "sorted", "iter", "filter", "map", "any", "all", "enumerate", "reversed", "zip", "chain", "frozenset"}
UNREMARKABLE = {"__version__", "__author__", "__license__", "__copyright__", "__date__", "__email__", "__all__", "__title__", "__url__"}


class Unit:
    """One unit while its code is walked."""

    def __init__(self, name, simple, kind, outer, line, end):
        self.name = name
        self.simple = simple
        self.kind = kind
        self.outer = outer
        self.line = line
        self.end = end
        self.content = hashlib.blake2b(digest_size=16)
        self.doc = ""
        self.names = set()
        self.globals = set()
        self.imports = set()
        # Names of what it imports and hands on as values: they may be modules.
        self.values = set()
        # Of those names: what it looks up in its first parameter.
        self.own = set()
        self.first = None
        self.strings = set()
        # Strings that may be a name or a part of one, and those that are joined to others.
        self.pieces = set()
        self.joints = set()
        self.flags = set()
        self.bases = []
        # How many statements of the module or class around it stand in front of it.
        self.at = 0
        # Names of this function and of those around it that are no globals.
        self.local = frozenset()

    def feed(self, text):
        self.content.update(text.encode("utf-8", "surrogatepass") + b"\0")

    def say(self, text, joined):
        if len(text) > LONGEST_STRING:
            self.flags.add("unbounded")
            return
        self.strings.update(WORD.findall(text))
        pieces = CONVERSION.split(text)
        for piece in pieces:
            if PIECE.match(piece):
                self.pieces.add(piece)
                if joined or len(pieces) > 1 or piece[0] in "_-.:/" or piece[-1] in "_-.:/":
                    self.joints.add(piece)

    def keys(self):
        if max(len(self.names), len(self.globals), len(self.strings), len(self.pieces)) > MOST_NAMES:
            self.flags.add("unbounded")
            self.names, self.globals, self.strings, self.pieces = set(), set(), set(), set()
        self.own -= self.names
        keys = {"name": self.name, "simple": self.simple, "kind": self.kind, "line": self.line, "end": self.end}
        keys.update(digest=self.content.hexdigest(), at=self.at)
        if self.outer is not None:
            keys["outer"] = self.outer
        if self.doc:
            keys["doc"] = self.doc
        for key in ("names", "own", "globals", "imports", "values", "strings", "pieces", "joints", "flags"):
            if getattr(self, key):
                keys[key] = sorted(getattr(self, key))
        if self.bases:
            keys["bases"] = self.bases
        return keys


class Units:
    """The units of one file, in the order in which they begin."""

    def __init__(self, tree, path=""):
        self.found = []
        # It loads the files that it is told, and those that it finds before a case runs.
        self._runs_tests = RUNNER.search(path) is not None
        self._numbers = {}
        # Nodes, by identity: calls that find by a constant, dictionaries of objects that aren't listed, strings that are joined to others.
        self._by_constant = set()
        self._unlisted = set()
        self._joined = set()
        self._handed = set()
        # Functions that load, execute or open something, where they are called.
        self._called = set()
        # Of which an entry is looked up that stands there.
        self._keyed = set()
        # Names and attributes of which an attribute is looked up.
        self._parents = set()
        self._meant = imported_anywhere(tree)
        # Documentation that is handed on to something else, and not looked at.
        self._copied = set()
        self._imported = imported(tree)
        self._bound_at_top = bound(tree)
        module = self._add("<module>", "<module>", "module", None, tree)
        module.line, module.end = 0, 2**31
        self._body(tree, module)

    def _add(self, name, simple, kind, outer, node):
        if len(self.found) >= MOST_UNITS:
            raise ValueError("it has more than %d units" % MOST_UNITS)
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        lines = [getattr(node, "lineno", 0)] + [decorator.lineno for decorator in getattr(node, "decorator_list", ())]
        unit = Unit(name if number == 1 else "%s#%d" % (name, number), simple, kind, outer, min(lines), getattr(node, "end_lineno", 0) or 0)
        unit.index = len(self.found)
        # By which its children are named.
        unit.path = name
        self.found.append(unit)
        return unit

    def _body(self, node, unit):
        """The statements of a module, a class or a function."""
        statements = node.body
        if statements and isinstance(statements[0], ast.Expr) and is_string(statements[0].value):
            unit.doc = hashlib.blake2b(statements[0].value.value.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            statements = statements[1:]
        removable = self._removable(statements, unit)
        at = 0
        for statement in statements:
            first = len(self.found)
            if id(statement) not in removable:
                self._visit(statement, unit)
                at += 1
                continue
            if isinstance(statement, FUNCTIONS):
                self._function(statement, unit, True)
            else:
                target = statement.targets[0].id
                constant = self._add(self._path(unit, target), target, "constant", unit.index, statement)
                self._visit(statement.value, constant)
            # What follows finds it; what stands in front of it doesn't.
            self.found[first].at = at

    def _removable(self, statements, unit):
        """Those definitions and constants whose only trace in the module or class is their name."""
        if unit.kind not in ("module", "class"):
            return frozenset()
        counts, loaded, candidates = {}, set(), {}
        for statement in statements:
            name = self._removable_name(statement, unit)
            if name is not None:
                candidates[id(statement)] = name
            for bound_name in bound_by(statement):
                counts[bound_name] = counts.get(bound_name, 0) + 1
            loaded |= loaded_by(statement)
        return {key for key, name in candidates.items() if counts.get(name) == 1 and name not in loaded}

    def _removable_name(self, statement, unit):
        if isinstance(statement, FUNCTIONS):
            simple = all(is_literal(default) for default in statement.args.defaults + statement.args.kw_defaults if default is not None)
            plain = all(self._decorator(decorator) in REMOVABLE for decorator in statement.decorator_list)
            return statement.name if simple and plain and not getattr(statement, "type_params", None) else None
        if unit.kind == "module" and isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and is_literal(statement.value):
                return target.id if not target.id.startswith("__") or target.id in UNREMARKABLE else None
        return None

    def _decorator(self, decorator):
        """The name of a decorator that is known to hand on what it decorates to nobody, or None."""
        if isinstance(decorator, ast.Call):
            if decorator.args and not all(is_literal(argument) for argument in decorator.args):
                wraps = self._decorator(decorator.func)
                return wraps if wraps == "wraps" else None
            if not all(is_literal(keyword.value) for keyword in decorator.keywords):
                return None
            decorator = decorator.func
        if isinstance(decorator, ast.Name):
            if decorator.id in BUILTIN and decorator.id not in self._bound_at_top:
                return decorator.id
            module, name = self._imported.get(decorator.id, (None, None))
            return name if name in FROM.get(module, ()) else None
        if isinstance(decorator, ast.Attribute) and isinstance(decorator.value, ast.Name):
            if decorator.attr in ("setter", "getter", "deleter"):
                return decorator.attr
            module, name = self._imported.get(decorator.value.id, (None, None))
            return decorator.attr if name is None and decorator.attr in FROM.get(module, ()) else None
        return None

    @staticmethod
    def _path(unit, name):
        if unit.kind == "module":
            return name
        return unit.path + (".<locals>." if unit.kind == "function" else ".") + name

    def _function(self, node, unit, removable=False):
        function = self._add(self._path(unit, node.name), node.name, "function", unit.index, node)
        function.local = (unit.local if unit.kind == "function" else self._around(unit)) | local_to(node)
        function.local -= declared(node, ast.Global)
        known = [self._decorator(decorator) for decorator in node.decorator_list]
        positional = [*getattr(node.args, "posonlyargs", ()), *node.args.args]
        if unit.kind == "class" and positional:
            function.first = positional[0].arg
        elif unit.kind == "function":
            function.first = unit.first
        if None in known:
            function.flags.add("decorated")
        if "staticmethod" in known or "classmethod" in known:
            function.flags.add("static")
        if "abstractmethod" in known:
            function.flags.add("abstract")
        header = function if removable else unit
        header.feed("%s %s" % (type(node).__name__, node.name))
        for part in (node.decorator_list, node.args.defaults, node.args.kw_defaults, [node.returns], getattr(node, "type_params", [])):
            self._each(part, header)
        arguments = node.args
        for group in (getattr(arguments, "posonlyargs", []), arguments.args, [arguments.vararg], arguments.kwonlyargs, [arguments.kwarg]):
            function.feed("(")
            for argument in group:
                if argument is not None:
                    function.feed(argument.arg)
                    header.feed("annotation")
                    self._visit(argument.annotation, header)
        function.feed("%s %d %d" % (type(node).__name__, len(arguments.defaults), sum(one is not None for one in arguments.kw_defaults)))
        self._body(node, function)

    def _around(self, unit):
        """The locals of the function around a class."""
        while unit.kind == "class" and unit.outer is not None:
            unit = self.found[unit.outer]
        return unit.local

    def _class(self, node, unit):
        unit.feed("class " + node.name)
        self._each(node.decorator_list, unit)
        self._each(node.bases, unit)
        self._each(node.keywords, unit)
        self._each(getattr(node, "type_params", []), unit)
        found = self._add(self._path(unit, node.name), node.name, "class", unit.index, node)
        found.local = unit.local
        if any(self._decorator(decorator) is None for decorator in node.decorator_list):
            found.flags.add("exposed")
        if any(not (keyword.arg == "metaclass" and name_of(keyword.value) == "ABCMeta") for keyword in node.keywords):
            found.flags.add("exposed")
        # "?" is a base that has no name.
        found.bases = [name_of(base) or "?" for base in node.bases]
        self._body(node, found)

    def _each(self, nodes, unit):
        unit.feed("[")
        for node in nodes:
            self._visit(node, unit)
        unit.feed("]")

    def _visit(self, node, unit):
        if node is None:
            unit.feed("None")
            return
        if isinstance(node, FUNCTIONS):
            self._function(node, unit)
            return
        if isinstance(node, ast.ClassDef):
            self._class(node, unit)
            return
        unit.feed(type(node).__name__)
        self._mention(node, unit)
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                if not isinstance(value, ast.expr_context):
                    self._visit(value, unit)
                else:
                    unit.feed(type(value).__name__)
            elif isinstance(value, list):
                unit.feed("[")
                for item in value:
                    if isinstance(item, ast.AST) or item is None:
                        self._visit(item, unit)
                    else:
                        unit.feed(repr(item))
                unit.feed("]")
            else:
                unit.feed("%s:%r" % (type(value).__name__, value))

    def _mention(self, node, unit):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and id(node) not in self._parents:
                unit.values.update(self._meant.get(node.id, ()))
            if isinstance(node.ctx, ast.Load) and node.id not in unit.local:
                unit.globals.add(node.id)
                if unit.kind == "class":
                    # It may be a name of the class itself.
                    unit.names.add(node.id)
                self._remark(node, node.id, unit)
        elif isinstance(node, ast.Attribute):
            self._parents.add(id(node.value))
            if node.attr == "__doc__" and (id(node) in self._copied or isinstance(node.ctx, ast.Store)):
                return
            if root_of(node) in self._meant:
                if id(node) not in self._parents:
                    unit.values.add(node.attr)
                if node.attr.startswith("__") and isinstance(node.value, ast.Name):
                    # `lib.__dict__` is all that it has.
                    unit.values.update(self._meant[node.value.id])
                elif node.attr.startswith("__"):
                    unit.values.add(node.value.attr)
            receiver = node.value.id if isinstance(node.value, ast.Name) else None
            (unit.own if unit.first is not None and receiver == unit.first else unit.names).add(node.attr)
            self._remark(node, node.attr, unit)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                unit.say(node.value, id(node) in self._joined)
            elif isinstance(node.value, bytes):
                unit.say(node.value.decode("latin-1"), id(node) in self._joined)
        elif isinstance(node, ast.Assign):
            if all(isinstance(target, ast.Attribute) and target.attr == "__doc__" for target in node.targets):
                self._copied.add(id(node.value))
        elif isinstance(node, ast.keyword):
            unit.strings.add(node.arg) if node.arg else None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node, unit)
        elif isinstance(node, (ast.BinOp, ast.AugAssign, ast.JoinedStr)):
            parts = [getattr(node, "left", None), getattr(node, "right", None), *getattr(node, "values", ()), getattr(node, "value", None)]
            self._joined.update(map(id, parts))
        elif isinstance(node, ast.Subscript):
            self._unlisted.add(id(node.value))
            if is_string(node.slice) or is_string(getattr(node.slice, "value", None)):
                self._keyed.add(id(node.value))
            self._looks_up(node.value, getattr(node.slice, "value", node.slice) if not isinstance(node.slice, ast.Constant) else node.slice, unit)
        elif isinstance(node, ast.Compare):
            self._unlisted.update(map(id, node.comparators))
        elif isinstance(node, ast.Call):
            self._call(node, unit)
        elif type(node).__name__ == "MatchClass":
            unit.names.update(node.kwd_attrs)

    def _import(self, node, unit):
        for alias in node.names:
            if alias.name == "*":
                unit.flags.add("star")
            elif unit.kind == "function" or (alias.asname or alias.name) != alias.name:
                unit.names.update(alias.name.split("."))
                if alias.name in LOADING and alias.asname not in (None, alias.name) and not self._runs_tests:
                    unit.flags.add("loads")
            elif isinstance(node, ast.ImportFrom):
                unit.imports.add(alias.name)
        if unit.kind == "function" and getattr(node, "module", None):
            unit.names.update(node.module.split("."))

    def _hands_on(self, node, name, unit):
        """Whoever gets a function that loads, executes or opens something calls it with anything."""
        if id(node) in self._called or self._runs_tests:
            return
        for flag, calls in (("loads", LOADING), ("runs-text", RUNNING), ("opens", OPENING)):
            if name in calls and (flag == "loads" or isinstance(node, ast.Name)):
                unit.flags.add(flag)

    def _remark(self, node, name, unit):
        self._hands_on(node, name, unit)
        if name in COMPUTED or (name in BY_NAME and id(node) not in self._by_constant):
            unit.flags.add("dynamic")
        builtin = isinstance(node, ast.Name) or (isinstance(node.value, ast.Name) and node.value.id in ("builtins", "__builtins__"))
        if builtin and name in COMPUTED_BUILTINS and not (name == "globals" and id(node) in self._unlisted):
            unit.flags.add("dynamic")
        members = name in ENUMERATING and id(node) not in self._unlisted
        if name == "__dict__":
            # An object's own dictionary holds what was put there by name.
            members = members and not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == unit.first == "self")
        if name == "__dict__" and members and id(node) in self._handed:
            members = False
            unit.flags.update(("dynamic", "namespace"))
        if members or (builtin and name in ENUMERATING_BUILTINS and id(node) not in self._unlisted):
            unit.flags.update(("dynamic", "enumerates"))
        if name in NAMESPACES and id(node) not in self._keyed:
            unit.flags.update(("dynamic", "enumerates"))
        if name in ("__name__", "__qualname__"):
            unit.flags.add("class-names")

    def _looks_up(self, value, key, unit):
        """In what an object's dictionary holds."""
        if isinstance(value, ast.Attribute) and value.attr == "__dict__" and not is_string(key):
            unit.flags.add("dynamic")

    def _loads(self, node, name, unit):
        """What loads a source, or has a part in that, by what isn't written there."""
        if self._runs_tests:
            return
        for flag, calls in (("loads", LOADING), ("runs-text", RUNNING), ("opens", OPENING)):
            if name not in calls or (flag == "runs-text" and not isinstance(node.func, ast.Name)):
                continue
            self._called.add(id(node.func))
            position = calls[name]
            said = [] if position is None else node.args[position : position + 1]
            if not said or not is_written(said[0], flag == "loads"):
                unit.flags.add(flag)

    def _call(self, node, unit):
        """Finding a value by a name that stands there isn't dynamic; to see that the call is looked at before its function."""
        function, position = node.func, None
        name = function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else None
        if isinstance(function, ast.Attribute):
            if name in ("format", "join", "replace", "removeprefix", "removesuffix"):
                self._joined.add(id(function.value))
            elif name in ("update", "get", "setdefault", "pop", "clear", "__contains__"):
                self._unlisted.add(id(function.value))
                if node.args and name == "get" and is_string(node.args[0]):
                    self._keyed.add(id(function.value))
                if node.args and name != "update":
                    self._looks_up(function.value, node.args[0], unit)
        if isinstance(function, ast.Name) and (name == "globals" or (name == "locals" and unit.kind == "module")) and not node.args:
            # Those of this module alone; what is only named may be called in another one.
            self._unlisted.add(id(function))
            unit.flags.add("enumerates-module")
        if name not in ITERATING:
            self._handed.update(map(id, node.args))
        first = node.args[0] if node.args else None
        if name in ("dir", "vars", "getmembers") and unit.first not in (None, "cls") and isinstance(first, ast.Name) and first.id == unit.first:
            self._unlisted.add(id(function))
            unit.flags.update(("enumerates-own", "dynamic") if name != "vars" else ("dynamic",))
        self._loads(node, name, unit)
        position = BY_NAME.get(name)
        if position is None or (isinstance(function, ast.Name) and function.id in unit.local):
            return
        named = node.args[position:] if name == "attrgetter" else node.args[position : position + 1]
        if named and all(is_string(argument) for argument in named):
            unit.names.update(word for argument in named for word in argument.value.split("."))
        if named and all(is_string(argument) for argument in named) and not any(isinstance(argument, ast.Starred) for argument in node.args):
            self._by_constant.add(id(function))


def is_string(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_written(node, module):
    """Whether a string stands there, or one of several; of a module's name that has no dots the beginning is enough: that is looked for (`joints`)."""
    if isinstance(node, ast.IfExp):
        return is_written(node.body, module) and is_written(node.orelse, module)
    begun = beginning(node)
    return is_string(node) or (module and len(begun) > 2 and begun.isidentifier())


def beginning(node):
    """The text with which a string begins, as far as it stands there."""
    if is_string(node):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return beginning(node.left)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return beginning(node.left).split("%", 1)[0]
    if isinstance(node, ast.JoinedStr):
        return beginning(node.values[0]) if node.values else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return beginning(node.func.value).split("{", 1)[0]
    return ""


def is_literal(node):
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return is_literal(node.operand)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(is_literal(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(key is not None and is_literal(key) for key in node.keys) and all(is_literal(value) for value in node.values)
    return False


def name_of(node):
    if isinstance(node, ast.Subscript):
        return name_of(node.value)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def imported(tree):
    """What names of the module's top level were imported as: (module, name in it, or None)."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            found.update((alias.asname or alias.name, (alias.name, None)) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update((alias.asname or alias.name, (node.module, alias.name)) for alias in node.names)
    return found


def imported_anywhere(tree):
    """What names that an import binds anywhere in the file may mean: the parts of the names of modules, and names that they have."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found.setdefault(alias.asname or alias.name.split(".")[0], set()).update(alias.name.split("."))
    return found


def root_of(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def inner(node, stops=(*FUNCTIONS, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
    """The nodes of a scope, without those of scopes within it, whose first nodes are given too."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        found = waiting.pop()
        yield found
        if not isinstance(found, stops):
            waiting.extend(ast.iter_child_nodes(found))


def names_bound(node):
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


def bound(scope):
    return frozenset(name for node in inner(scope) for name in names_bound(node))


def bound_by(statement):
    """Names that a statement of a module or class binds there; what a function declares global is bound too."""
    found = list(names_bound(statement))
    if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        found.extend(name for node in inner(statement) for name in names_bound(node))
    found.extend(name for node in ast.walk(statement) if isinstance(node, ast.Global) for name in node.names)
    return found


def loaded_by(statement):
    """Names that a statement of a module or class looks up while it is executed."""
    if isinstance(statement, FUNCTIONS):
        outside = [*statement.decorator_list, *statement.args.defaults, *(one for one in statement.args.kw_defaults if one)]
        nodes = [node for part in outside for node in ast.walk(part)]
    else:
        nodes = ast.walk(statement)
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def declared(function, kind):
    return {name for node in inner(function) if isinstance(node, kind) for name in node.names}


def local_to(function):
    arguments = function.args
    named = [*getattr(arguments, "posonlyargs", ()), *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    # Of expressions that are scopes of their own `inner` gives no names; those are then taken for globals, which is safe.
    found = {name for statement in function.body for name in (*names_bound(statement), *within(statement))}
    return frozenset(found | {argument.arg for argument in named if argument is not None})


def within(statement):
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return ()
    return (name for node in inner(statement) for name in names_bound(node))


def units_of(path):
    try:
        with open(path, "rb") as file:
            source = file.read(MOST_BYTES + 1)
        if len(source) > MOST_BYTES:
            return {"file": path, "fault": "it is larger than %d bytes" % MOST_BYTES}
        found = Units(ast.parse(source, path), path).found
        return {"file": path, "units": [unit.keys() for unit in found]}
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        return {"file": path, "fault": "%s: %s" % (type(error).__name__, str(error)[:200])}


def main():
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    sys.setrecursionlimit(5000)
    write = sys.stdout.write
    folders = sorted({os.path.dirname(os.__file__), os.path.realpath(os.path.dirname(os.__file__))})
    write(json.dumps({"format": FORMAT, "language": "python", "runtime": sys.version, "folders": folders}) + "\n")
    import warnings

    # A file's own warnings (invalid escapes) are the file's affair.
    warnings.simplefilter("ignore")
    for line in sys.stdin.buffer:
        write(json.dumps(units_of(os.fsdecode(line.rstrip(b"\r\n")))) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
