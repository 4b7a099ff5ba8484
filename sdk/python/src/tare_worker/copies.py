"""Copies of the process: for each source, so that one interpreter's start serves many (PROTOCOL 1.12), in a look for each case of a source (1.10), and to measure
cases of a source that starts slowly (`copy` of `prepare`). What a source or a case touches is its own."""

import gc
import os
import signal
import stat
import sys

from tare_worker.fault import Fault

# Of which request the copy is that this process is: None in the first one.
copied_for = None
# What loading left behind is collected.
is_collected = False
# How a copy ends that has answered everything: code that ends the process says 0, or what it likes.
SERVED = 103


def are_asked():
    """Whether the core asks for copies from the start on, and processes can be copied here."""
    return (serves_loads() or is_look()) and hasattr(os, "fork")


def are_possible():
    """Whether processes can be copied here, and what they have can be looked through."""
    return hasattr(os, "fork") and os.path.isdir("/proc/self/task")


def is_look():
    """Whether the core asks for a look."""
    return bool(os.environ.get("TARE_LOOK"))


def serves_loads():
    """Whether the core asks for one source after the other."""
    return os.environ.get("TARE_LOADS") == "1"


def is_counted():
    """Whether the core counts what cases execute."""
    return os.environ.get("TARE_COUNT") == "1"


def ending():
    """The exit status of this process, when it has answered everything."""
    if copied_for is not None and is_counted():
        # A counter would write all that it knows of a process that ends by itself, which takes longer than most cases.
        os.kill(os.getpid(), signal.SIGKILL)
    return 0 if copied_for is None else SERVED


def stay():
    """Whether this is the process that goes on to the next source."""
    return copied_for is None and serves_loads()


def descriptors():
    """What the process holds by now."""
    try:
        return {_place(int(name)) for name in os.listdir("/proc/self/fd")}
    except (OSError, ValueError):
        return set()


def serve(wire, request, before, is_loaded):
    """Copies the process for a request that is about to be answered. True in the process that waits, when the copy has answered everything up to its
    `finish`; false where this process goes on: in the copy, where none is asked for, and where a copy wouldn't be the same. `before`: descriptors from before the
    user's sources were loaded; `is_loaded`: they are, and no case is prepared."""
    global copied_for, is_collected
    measures = False
    if request.kind == "load":
        if not stay() or _has_threads():
            return False
    elif request.kind != "prepare" or copied_for == "prepare" or not is_loaded:
        return False
    elif is_look():
        if not hasattr(os, "fork") or _has_threads():
            return False
    else:
        measures = _asks(request) and are_possible() and _can_be_shared(before)
        if not measures:
            return False
        if not is_collected:
            # A collection writes to most of what there is, which a copy would have to make its own: it would take longer than all else that a copy does to be ready.
            gc.collect()
            is_collected = True
    wire.copying = True
    process = os.fork()
    wire.copying = False
    if process == 0:
        copied_for = request.kind
        wire.moved()
        return False
    _, status = os.waitpid(process, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == SERVED:
        return True
    if is_counted() and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return True
    if measures:
        _end_as(status)
    what = "a source was loaded" if request.kind == "load" else "a case was looked at"
    raise Fault("exit", "The process in which %s ended by itself." % what, "Let the subject return instead of ending the process.")


def _asks(request):
    try:
        return request.optional_boolean("copy")
    except Fault:
        return False  # Whoever prepares the case refuses the request.


def _end_as(status):
    """Ends this process as the copy ended: the core knows only this one."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


def _has_threads():
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


def _can_be_shared(before):
    """Whether a copy has all that the process has, and shares nothing with the other copies that the user's sources made: no other threads, no
    connections, and no files that are written."""
    try:
        if len(os.listdir("/proc/self/task")) > 1:
            return False
        held = [int(name) for name in os.listdir("/proc/self/fd")]
    except (OSError, ValueError):
        return False
    # Copies take turns with what was there, such as standard output, which others may have duplicated.
    return not any(_is_shared(descriptor) for descriptor in held if _place(descriptor) not in {None, *before})


def _place(descriptor):
    try:
        status = os.fstat(descriptor)
    except OSError:  # Closed; the listing's own.
        return None
    return status.st_dev, status.st_ino


def _is_shared(descriptor):
    import fcntl

    mode = os.fstat(descriptor).st_mode
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    if stat.S_ISREG(mode):
        return flags & os.O_ACCMODE != os.O_RDONLY
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)
