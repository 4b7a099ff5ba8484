"""Marks, and the parameters that they give to tests."""

from tare_worker.stand_in.ids import escaped, id_of


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
            if whole.id is not None:
                name = escaped(whole.id)
            elif given is not None and given[position] is not None:
                name = id_of("", None, position, given[position])
            else:
                of = [(parameter, value, position, ids(value) if callable(ids) else None) for parameter, value in zip(self.names, whole.values)]
                name = "-".join(id_of(*one) for one in of)
            self.sets.append((name, dict(zip(self.names, whole.values)), whole.marks))
        _tell_apart(self.sets)


def _tell_apart(sets):
    """By numbers in their order, as pytest does: `a0`, `a1`, and after a digit `1_0`."""
    names = [name for name, _, _ in sets]
    counts = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    taken = set(names)
    following = {}
    for position, (name, values, marks) in enumerate(sets):
        if counts[name] == 1:
            continue
        stem = name + ("_" if name[-1:].isdigit() else "")
        number = following.get(name, 0)
        while "%s%d" % (stem, number) in taken:
            number += 1
        following[name] = number + 1
        sets[position] = ("%s%d" % (stem, number), values, marks)
        taken.add("%s%d" % (stem, number))
