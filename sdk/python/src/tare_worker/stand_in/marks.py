"""Marks, and the parameters that they give to tests."""

from tare_worker.values import set_name


class Mark:
    """A mark as `pytestmark` holds it."""

    def __init__(self, name, args, kwargs):
        self.name = name
        self.args = args
        self.kwargs = kwargs


class MarkDecorator:
    """`pytest.mark.name`, and what a call of it gives."""

    def __init__(self, name, args=(), kwargs=None):
        self.mark = Mark(name, args, kwargs or {})

    def __call__(self, *args, **kwargs):
        # As in pytest, a single named function or a class is what is marked; everything else is the mark's own.
        if len(args) == 1 and not kwargs and callable(args[0]) and getattr(args[0], "__name__", "<lambda>") != "<lambda>":
            subject = args[0]
            subject.pytestmark = [*vars(subject).get("pytestmark", []), self.mark]
            return subject
        return MarkDecorator(self.mark.name, self.mark.args + args, {**self.mark.kwargs, **kwargs})


class Marks:
    """`pytest.mark`."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return MarkDecorator(name)


mark = Marks()


class ParameterSet:
    """What `pytest.param` gives."""

    def __init__(self, values, id, marks):
        self.values = values
        self.id = id
        self.marks = [getattr(item, "mark", item) for item in (marks if isinstance(marks, (list, tuple)) else [marks])]


def param(*values, id=None, marks=()):
    """As pytest's."""
    return ParameterSet(values, id, marks)


class Parameters:
    """One `parametrize`: its names and its sets of (id, values, marks)."""

    def __init__(self, names, choices, indirect=False, ids=None, scope=None):
        single = isinstance(names, str) and "," not in names
        self.names = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)
        # pytest takes a single name in a list for one whose values come in tuples, too.
        unpacked = not (single and len(self.names) == 1)
        self.indirect = set(self.names if indirect is True else indirect or ())
        self.sets = []
        given = list(ids) if ids is not None and not callable(ids) else None
        for position, choice in enumerate(choices):
            whole = choice if isinstance(choice, ParameterSet) else ParameterSet(tuple(choice) if unpacked else (choice,), None, ())
            if len(whole.values) != len(self.names):
                raise ValueError("parametrize has %d names and a set of %d values" % (len(self.names), len(whole.values)))
            name = whole.id if whole.id is not None else given[position] if given is not None else None
            if name is None:
                name = "-".join(
                    self._name(parameter, value, position, ids) for parameter, value in zip(self.names, whole.values)
                )
            self.sets.append((str(name), dict(zip(self.names, whole.values)), whole.marks))
        _tell_apart(self.sets)

    @staticmethod
    def _name(parameter, value, position, ids):
        named = ids(value) if callable(ids) else None
        return str(named) if named is not None else set_name(parameter, value, position)


def _tell_apart(sets):
    names = [name for name, _, _ in sets]
    seen = {}
    for position, (name, values, marks) in enumerate(sets):
        if names.count(name) > 1:
            separator = "_" if name[-1:].isdigit() else ""
            sets[position] = ("%s%s%d" % (name, separator, seen.get(name, 0)), values, marks)
            seen[name] = seen.get(name, 0) + 1
