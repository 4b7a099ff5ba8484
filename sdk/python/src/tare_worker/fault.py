"""A request that can't be answered, or a source that can't be used: what happened, where, what to do."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
PUBLIC = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tare") + os.sep
ENTRY = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "worker.py")
LIBRARY = os.path.dirname(os.__file__) + os.sep
PACKAGES = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)

# A frame has a limit, and nobody reads more.
LONGEST = 65536
MOST_FRAMES = 60


class Fault(Exception):
    """`kind` is one of the protocol's (§4); `request` the number of the request where a bad frame still shows it."""

    def __init__(self, kind, message, remedy=None, file=None, line=None, trace=None, request=None):
        super().__init__(message[:LONGEST])
        self.kind = kind
        self.message = message[:LONGEST]
        self.remedy = remedy
        self.file = file
        self.line = line
        self.trace = trace
        self._foreign = False
        self.request = request

    def keys(self):
        """The keys of a `fault` or `notice` frame; None is left out when it is sent."""
        keys = {"kind": self.kind, "message": self.message, "file": self.file, "line": self.line}
        keys["remedy"] = self.remedy
        return keys

    def or_at(self, file, line):
        """The same fault, at `file` and `line` where it has no place in the user's code."""
        if file is not None and (self.file is None or self._foreign):
            self.file, self.line = file, line
            self._foreign = False
        return self

    @classmethod
    def of(cls, raised, kind, doing="", remedy=None):
        """What the user's code raised, at the place of the user's that is nearest to it. `doing` says what went on, should they have
        ended the process."""
        if isinstance(raised, Fault):
            return raised
        if isinstance(raised, SystemExit):
            fault = cls(
                "exit",
                "User code ended the process%s (SystemExit: %s)." % (" while " + doing if doing else "", _text(raised.code)),
                "Remove the exit from the code that is measured.",
            )
        elif isinstance(raised, SyntaxError):
            fault = cls("syntax" if kind == "load" else kind, type(raised).__name__ + ": " + _text(raised.msg), remedy)
            # What is given to `eval` has no file.
            if isinstance(raised.filename, str) and not raised.filename.startswith("<"):
                fault.file = raised.filename
                fault.line = raised.lineno if isinstance(raised.lineno, int) and raised.lineno > 0 else None
        else:
            message = _text(raised)
            name = type(raised).__name__
            fault = cls(kind, name + (": " + message if message else " without a message"), remedy or _remedy(raised))
        places = _places(raised.__traceback__)
        fault.trace = _trace(raised, places)
        if fault.file is None:
            fault.file, fault.line, fault._foreign = _place(places)
        return fault


def _remedy(raised):
    """What to do about a module that this interpreter hasn't."""
    if not isinstance(raised, ModuleNotFoundError) or not isinstance(raised.name, str):
        return None
    top = raised.name.split(".")[0]
    if os.path.isdir(top) or os.path.isfile(top + ".py"):
        return "`%s` lies in %s, where this interpreter doesn't look for modules: set PYTHONPATH=. for tare, or install the project (pip install -e .)." % (
            top[:200],
            os.getcwd(),
        )
    return "If `%s` is a package, install what brings it for this interpreter (%s), or name one that has it: --runtime NAME=COMMAND." % (
        raised.name[:200],
        sys.executable or "unknown",
    )


def is_ours(file):
    """Whether a source file is the worker's."""
    return file.startswith((HERE, PUBLIC, "<tare")) or file == ENTRY


def _text(value):
    try:
        return str(value)[:LONGEST]
    except BaseException as error:  # The user's __str__ may do anything.
        return "(its text can't be had: %s)" % type(error).__name__


def _places(traceback):
    """File, line and function of each frame that isn't the worker's, the outermost first."""
    places = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_ours(code.co_filename):
            places.append((code.co_filename, traceback.tb_lineno, getattr(code, "co_qualname", code.co_name)))
        traceback = traceback.tb_next
    return places


def _place(places):
    """File and line of the innermost frame that is the user's, and False; where all are a library's, of the innermost of these, and
    True."""
    for file, line, _ in reversed(places):
        if not file.startswith(("<", LIBRARY)) and not any(part in file for part in PACKAGES):
            return file, line, False
    for file, line, _ in reversed(places):
        if not file.startswith("<"):
            return file, line, True
    return None, None, True


def _trace(raised, places):
    lines = []
    if len(places) > MOST_FRAMES:
        left = len(places) - MOST_FRAMES
        places = places[: MOST_FRAMES // 2] + [None] + places[-MOST_FRAMES // 2 :]
    for place in places:
        lines.append("… %d more\n" % left if place is None else "%s:%s %s()\n" % place)
    cause = raised.__cause__ or (None if raised.__suppress_context__ else raised.__context__)
    if cause is not None and cause is not raised:
        lines.append("after %s: %s\n" % (type(cause).__name__, _text(cause)[:4096]))
        lines.extend("%s:%s %s()\n" % place for place in _places(cause.__traceback__)[-MOST_FRAMES:])
    return "".join(lines)[:LONGEST] or None
