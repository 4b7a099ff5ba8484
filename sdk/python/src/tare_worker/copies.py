"""Copies of the process, each of which serves a case when the sources are loaded (PROTOCOL 1.10 and `prepare`): one process's loading serves
many cases, and what a case touches is its own."""

import gc
import os
import signal
import stat
import sys

from tare_worker.fault import Fault

is_copy = False
# What loading left behind is collected.
is_collected = False


def are_possible():
    """Whether processes can be copied here, and what they have can be looked through."""
    return hasattr(os, "fork") and os.path.isdir("/proc/self/task")


def is_look():
    """Whether the core asks for a look."""
    return bool(os.environ.get("TARE_LOOK"))


def descriptors():
    """What the process holds by now."""
    try:
        return {_place(int(name)) for name in os.listdir("/proc/self/fd")}
    except (OSError, ValueError):
        return set()


def is_served_by_a_copy(wire, request, before):
    """Copies the process for a case that is about to be prepared. True in the first process, when the copy has answered everything up to its
    `finish`; `before`: descriptors from before the user's sources were loaded. False where this process goes on with the case: in the copy, and where a copy isn't asked for or wouldn't be the same."""
    global is_copy, is_collected
    looks = is_look()
    if is_copy or not are_possible() or not (looks or _asks(request)):
        return False
    if _has_threads() if looks else not _can_be_shared(before):
        return False
    if not looks and not is_collected:
        # A collection writes to most of what there is, which a copy would have to make its own: it would take longer than all else that a copy does to be ready.
        gc.collect()
        is_collected = True
    wire.copying = True
    process = os.fork()
    wire.copying = False
    if process == 0:
        is_copy = True
        wire.moved()
        return False
    _, status = os.waitpid(process, 0)
    if status != 0 and looks:
        raise Fault("exit", "The process in which a case was looked at ended by itself.", "Let the subject return instead of ending the process.")
    if status != 0:
        _end_as(status)
    return True


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
