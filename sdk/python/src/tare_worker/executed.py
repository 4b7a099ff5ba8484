"""Which functions the samples execute (PROTOCOL 1.15), by Python's own hooks: nothing here is imported where anything is timed.

`sys.monitoring` tells each bytecode instruction (3.12 and later), a trace function before that.
"""

import gc
import os
import sys
import threading
import types

from tare_worker import stretch
from tare_worker.frames import quoted
from tare_worker.look import ENTRY, WORKER

OWN = (WORKER, ENTRY, "<tare")
# Opcodes of functions that are resumed begin with these flags: generators, coroutines and both.
RESUMED = 0x20 | 0x80 | 0x200
MOST_FUNCTIONS = 20_000
LONGEST_NAME = 4_000


class Executed:
    """Functions of the samples of a turn, and the file that they are written to."""

    def __init__(self, path):
        self._path = path
        self._hook = Monitored() if hasattr(sys, "monitoring") else Traced()

    def stretch(self):
        """In the place of a turn's stretch: what runs between its `begin` and `end` is counted."""
        return Stretch(self._hook)

    def tell(self):
        """Appends a line of what was counted since the last one."""
        counts = _by_name(self._hook.taken())
        functions = ['{"name": %s, "calls": %d, "own": %d}' % (quoted(name), *both) for name, both in counts.items()]
        line = '{"unit": "bytecode", "functions": [%s]' % ", ".join(functions[:MOST_FUNCTIONS])
        hidden = self._hook.hidden
        if len(functions) > MOST_FUNCTIONS:
            hidden = "there are more than %d functions" % MOST_FUNCTIONS
        if hidden is not None:
            line += ', "incomplete": %s' % quoted(hidden)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(line + "}\n")


class Stretch(stretch.Stretch):
    """The hook is set in the samples alone."""

    __slots__ = ("_hook",)

    def __init__(self, hook):
        super().__init__()
        self._hook = hook

    def begin(self):
        super().begin()
        self._hook.begin()

    def end(self):
        self._hook.end()
        super().end()


class Function:
    """A code object with its module, how often it was called, and the instructions that it executed itself."""

    __slots__ = ("code", "module", "calls", "own", "start", "trace")

    def __init__(self, frame):
        self.code = frame.f_code
        self.module = frame.f_globals.get("__name__")
        self.calls = 0
        self.own = 0
        self.start = None
        self.trace = None


class Monitored:
    """By `sys.monitoring`, of all threads."""

    def __init__(self):
        self.hidden = None
        # By id: code objects of two files may be equal. Those of the worker are None.
        self._functions = {}
        # What is known by its id mustn't make room for another.
        self._own = []
        monitoring = sys.monitoring
        self._events = monitoring.events.PY_START | monitoring.events.INSTRUCTION
        free = [tool for tool in range(6) if monitoring.get_tool(tool) is None]
        # The lowest are debuggers and the like.
        self._tool = free[-1] if free else None
        if self._tool is None:
            self.hidden = "all tools of sys.monitoring are taken"
            return
        monitoring.use_tool_id(self._tool, "tare")
        functions, find, disable = self._functions, self._find, monitoring.DISABLE

        def executed(code, _):
            try:
                function = functions[id(code)]
            except KeyError:
                function = find(sys._getframe(1))
            if function is None:
                return disable
            function.own += 1
            return None

        def started(code, _):
            try:
                function = functions[id(code)]
            except KeyError:
                function = find(sys._getframe(1))
            if function is None:
                return disable
            function.calls += 1
            return None

        monitoring.register_callback(self._tool, monitoring.events.INSTRUCTION, executed)
        monitoring.register_callback(self._tool, monitoring.events.PY_START, started)

    def _find(self, frame):
        code = frame.f_code
        function = None if code.co_filename.startswith(OWN) else Function(frame)
        if function is None:
            self._own.append(code)
        self._functions[id(code)] = function
        return function

    def begin(self):
        if self._tool is not None:
            sys.monitoring.set_events(self._tool, self._events)

    def end(self):
        if self._tool is None:
            return
        if sys.monitoring.get_tool(self._tool) != "tare" or sys.monitoring.get_events(self._tool) != self._events:
            self.hidden = "the code changes what sys.monitoring tells"
        else:
            sys.monitoring.set_events(self._tool, 0)

    def taken(self):
        return _taken(self._functions.values())


class Traced:
    """By a trace function, of the thread that measures and of those that `threading` starts."""

    def __init__(self):
        self.hidden = None
        self._functions = {}

    def _entered(self, frame, event, _):
        code = frame.f_code
        if code.co_filename.startswith(OWN):
            return None
        function = self._functions.get(id(code))
        if function is None:
            function = self._functions[id(code)] = Function(frame)
            function.start = _start(code)

            def trace(_, event, __):
                if event == "opcode":
                    function.own += 1
                return trace

            function.trace = trace
        # A generator that goes on is entered, too.
        if function.start is None or frame.f_lasti <= function.start:
            function.calls += 1
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return function.trace

    def begin(self):
        # A method is bound anew each time that it is named.
        self._set = self._entered
        threading.settrace(self._set)
        sys.settrace(self._set)

    def end(self):
        if sys.gettrace() is not self._set:
            self.hidden = "the code sets a trace function of its own"
        sys.settrace(None)
        threading.settrace(None)

    def taken(self):
        return _taken(self._functions.values())


def _start(code):
    """Where a generator stands when it is entered for the first time; None of functions that can't be entered again."""
    if not code.co_flags & RESUMED:
        return None
    if sys.version_info < (3, 11):
        return -1
    import dis

    resumes = [one.offset for one in dis.get_instructions(code) if one.opname == "RESUME"]
    return resumes[0] if resumes else None


def _taken(functions):
    """Code, module, calls and instructions of those that ran, and begins anew."""
    ran = [(one.code, one.module, one.calls, one.own) for one in functions if one is not None and (one.calls or one.own)]
    for one in functions:
        if one is not None:
            one.calls = one.own = 0
    return ran


def _by_name(ran):
    """Calls and instructions by name: of functions that are made anew, as in loops, all belong together."""
    names = _names([code for code, *_ in ran])
    counts = {}
    for (code, module, calls, own), name in zip(ran, names):
        if not isinstance(module, str):
            module = os.path.basename(code.co_filename)
        name = _valid("%s.%s" % (module, name))
        before = counts.get(name, (0, 0))
        counts[name] = (before[0] + calls, before[1] + own)
    return counts


def _names(codes):
    if sys.version_info >= (3, 11):
        return [code.co_qualname for code in codes]
    # Before, functions alone know the names of their classes.
    names = {id(code): code.co_name for code in codes}
    for function in gc.get_referrers(*codes) if codes else ():
        if isinstance(function, types.FunctionType) and id(function.__code__) in names:
            names[id(function.__code__)] = function.__qualname__
    return [names[id(code)] for code in codes]


def _valid(name):
    return name[:LONGEST_NAME].encode("utf-8", "replace").decode()
