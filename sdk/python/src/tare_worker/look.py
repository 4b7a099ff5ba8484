"""What code runs, for a look (PROTOCOL 1.10): nothing here is imported while a case is measured.

`sys.monitoring` tells each code object once (3.12 and later), `sys.setprofile` each call before that.
"""

import os
import sys
import threading

from tare_worker import sampler
from tare_worker.frames import quoted

WORKER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
# Imports of packages ask a finder of the file that began the worker.
ENTRY = os.path.join(os.path.dirname(os.path.dirname(WORKER)), "worker.py")
# Frames that come before a request's last reply.
BEFORE_LAST = ("case", "notice", "operation", "slice")
MOST_NAMES = 10_000
# The runtime's own library, installed packages apart, and what finds tests: whose listing it is, the frame above them says.
LIBRARY = os.path.join(os.path.dirname(os.__file__), "")
PACKAGES = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
RUNNERS = ("_pytest", "pytest", "pluggy", "pytest_benchmark", "pytest_codspeed")
IMPORT = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
DEEPEST = 40

# What the process can do that hides code: by the name of Python's audit event.
HIDING = {
    "sys.setprofile": "the code sets a profile function of its own",
    "os.fork": "the code starts processes",
    "os.forkpty": "the code starts processes",
    "os.exec": "the code starts processes",
    "os.spawn": "the code starts processes",
    "os.posix_spawn": "the code starts processes",
    "os.system": "the code starts processes",
    "subprocess.Popen": "the code starts processes",
    "cpython.PyInterpreterState_New": "the code starts other interpreters",
}


class Look:
    """A wire that writes what ran to a file, before each last reply."""

    def __init__(self, wire, path):
        self._wire = wire
        self._out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        self._folder = os.getcwd()
        self._process = os.getpid()
        # With their files: code objects of two may be equal.
        self._codes = set()
        self._hidden = None
        # Folders that code listed, and sources that it read, not the import system.
        self._listed = set()
        self._read = set()
        # The worker itself copies the process.
        self.copying = False
        # A module may be gone from here when it is asked for; what it executes is recorded.
        self._before = sorted({file for file in map(_file, list(sys.modules.values())) if file and not file.startswith(WORKER)})
        self._recorder = Monitored(self._codes) if hasattr(sys, "monitoring") else Profiled(self._codes)
        self._recorder.begin()
        sys.addaudithook(self._audit)

    def read(self):
        return self._wire.read()

    def moved(self):
        self._process = os.getpid()
        self._wire.moved()

    def send(self, frame):
        if os.getpid() == self._process and frame["frame"] not in BEFORE_LAST:
            self._write(frame["frame"])
        self._wire.send(frame)

    def _audit(self, event, arguments):
        if event == "open":
            self._opened(arguments[0], sys._getframe(1))
        elif event == "os.listdir" or event == "os.scandir":
            self._lists(arguments[0], sys._getframe(1))
        elif event in HIDING and not self.copying:
            self._hidden = self._hidden or HIDING[event]
        elif event == "_thread.start_new_thread" and not self._recorder.every_thread:
            started = getattr(arguments[0], "__self__", None)
            if not isinstance(started, threading.Thread):
                self._hidden = self._hidden or "the code starts threads that are not of `threading`"

    def _opened(self, path, frame):
        place = _place(path)
        own = place is None or place.startswith(WORKER) or frame.f_code.co_filename.startswith((WORKER, ENTRY))
        if own:
            return
        if place.endswith(".py") and not _imports(place, frame) or place.endswith("/pyproject.toml") and not _is_runners(_asking(frame)):
            self._read.add(place)

    def _lists(self, path, frame):
        file = frame.f_code.co_filename
        if file in IMPORT or "importlib" + os.sep + "metadata" in file:
            return
        file = _asking(frame)
        if file.startswith((WORKER, ENTRY)) or _is_runners(file):
            return
        place = _place("." if path is None else path)
        if place is None:
            self._hidden = self._hidden or "the code lists a folder by its descriptor"
        else:
            self._listed.add(place)

    def _write(self, after):
        """Calls functions in C and the worker's own alone: others would be recorded."""
        codes = self._recorder.taken()
        own = (WORKER, ENTRY, "<tare")
        calls = [self._call(code) for code, file in codes if not file.startswith(own)]
        line = '{"after": %s, "calls": [%s]' % (quoted(after), ", ".join(calls))
        if self._before:
            line += ', "before": [%s]' % ", ".join(map(text, self._before))
            self._before = []
        for key, places in (("listed", self._listed), ("read", self._read)):
            if places:
                line += ', "%s": [%s]' % (key, ", ".join(map(text, sorted(places))))
                places.clear()
        hidden = self._hidden or self._recorder.hidden()
        if hidden is not None:
            line += ', "incomplete": %s' % quoted(hidden)
        data = memoryview((line + "}\n").encode())
        while data:
            data = data[os.write(self._out, data) :]
        self._recorder.resume()

    def _call(self, code):
        file = code.co_filename
        if not file.startswith(("<", "/")):
            file = self._folder + "/" + file
        call = '{"file": %s, "name": %s, "line": %d' % (text(file), text(code.co_name), code.co_firstlineno)
        if not file.endswith(".py"):
            # There is no source that says what it mentions.
            call += ', "names": [%s]' % ", ".join(map(text, sorted(_mentioned(code))[:MOST_NAMES]))
        return call + "}"


class Monitored:
    """Each code object is told once, until `resume`."""

    every_thread = True

    def __init__(self, codes):
        self._codes = codes
        self._tool = None

    def begin(self):
        monitoring = sys.monitoring
        self._events = monitoring.events.PY_START | monitoring.events.PY_RESUME | monitoring.events.PY_THROW
        free = [tool for tool in range(6) if monitoring.get_tool(tool) is None]
        if not free:
            return
        # The lowest are debuggers and the like.
        self._tool = free[-1]
        monitoring.use_tool_id(self._tool, "tare")
        add, disable = self._codes.add, monitoring.DISABLE

        def started(code, _):
            add((code, code.co_filename))
            return disable

        def thrown(code, *_):
            # It can't be disabled for a place.
            add((code, code.co_filename))

        monitoring.register_callback(self._tool, monitoring.events.PY_START, started)
        monitoring.register_callback(self._tool, monitoring.events.PY_RESUME, started)
        monitoring.register_callback(self._tool, monitoring.events.PY_THROW, thrown)
        monitoring.set_events(self._tool, self._events)

    def hidden(self):
        if self._tool is None:
            return "all tools of sys.monitoring are taken"
        kept = sys.monitoring.get_tool(self._tool) == "tare" and sys.monitoring.get_events(self._tool) == self._events
        return None if kept else "the code changes what sys.monitoring tells"

    def taken(self):
        codes = list(self._codes)
        self._codes.clear()
        return codes

    def resume(self):
        sys.monitoring.restart_events()


class Profiled:
    """Each call is told, of threads that `threading` starts, too."""

    every_thread = False

    def __init__(self, codes):
        self._codes = codes

        def called(frame, event, _, add=codes.add):
            if event == "call":
                code = frame.f_code
                add((code, code.co_filename))

        self._called = called

    def begin(self):
        sampler.resting = lambda: (None, None)
        threading.setprofile(self._called)
        sys.setprofile(self._called)

    def hidden(self):
        if "greenlet" in sys.modules:
            return "greenlets hide calls from a profile function"
        return None if sys.getprofile() is self._called else "the code sets a profile function of its own"

    def taken(self):
        codes = list(self._codes)
        self._codes.clear()
        return codes

    def resume(self):
        pass


def text(value):
    """As JSON, made valid."""
    return quoted(value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def _place(path):
    """The absolute path of what is opened by a path; None of descriptors."""
    if isinstance(path, bytes):
        path = path.decode("utf-8", "surrogateescape")
    if not isinstance(path, str):
        return None
    return path if path.startswith("/") else os.getcwd() + "/" + path


def _asking(frame):
    """The file of the nearest caller that isn't Python's own library."""
    file = frame.f_code.co_filename
    for _ in range(DEEPEST):
        if frame is None or not file.startswith((LIBRARY, "<frozen")) or any(package in file for package in PACKAGES):
            break
        frame = frame.f_back
        file = "" if frame is None else frame.f_code.co_filename
    return file


def _is_runners(file):
    return any(package + runner in file for package in PACKAGES for runner in RUNNERS)


def _imports(place, frame):
    """Whether the frame opens a source to load the module that it is of."""
    if frame.f_code.co_filename == IMPORT[1]:
        # `get_data` is a method of loaders, by which code reads any file.
        return frame.f_back is not None and frame.f_back.f_code.co_name == "get_code" and frame.f_back.f_code.co_filename == IMPORT[1]
    for _ in range(DEEPEST):
        frame = frame.f_back
        if frame is None or frame.f_code.co_name == "<module>":
            return False
        if frame.f_code.co_name == "_load_unlocked" and frame.f_code.co_filename == IMPORT[0]:
            return getattr(frame.f_locals.get("spec"), "origin", None) == place
    return False


def _file(module):
    try:
        found = module.__spec__.origin if module.__spec__ is not None else module.__file__
    except Exception:  # Modules may be anything.
        return None
    return os.path.abspath(found) if isinstance(found, str) and found.endswith(".py") else None


def _mentioned(code):
    """The names of a code object, and the words of its strings; of the code within it, too."""
    waiting, found = [code], set()
    while waiting:
        code = waiting.pop()
        found.update(code.co_names)
        constants = list(code.co_consts)
        while constants:
            constant = constants.pop()
            if isinstance(constant, str):
                found.update(word for word in constant.split() if word.isidentifier())
            elif isinstance(constant, (tuple, frozenset)):
                constants.extend(constant)
            elif hasattr(constant, "co_code"):
                waiting.append(constant)
    return found
