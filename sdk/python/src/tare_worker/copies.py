"""Copies of the process, where nothing is measured (PROTOCOL 1.10, 1.12): for each source, so that one interpreter's start serves many, and in a look
for each case of a source, so that one process's loading serves many cases. What a source or a case touches is its own."""

import os
import sys

from tare_worker.fault import Fault

# Of which request the copy is that this process is: None in the first one.
copied_for = None
# How a copy ends that has answered everything: code that ends the process says 0, or what it likes.
SERVED = 103


def are_asked():
    """Whether the core asks for copies, and processes can be copied here."""
    return (_serves_loads() or _is_a_look()) and hasattr(os, "fork")


def capabilities():
    return (["loads"] if _serves_loads() else []) + (["look"] if _is_a_look() else [])


def ending():
    """The exit status of this process, when it has answered everything."""
    return 0 if copied_for is None else SERVED


def stay():
    """Whether this is the process that goes on to the next source."""
    return copied_for is None and _serves_loads()


def serve(wire, request):
    """Copies the process for a request of this kind that is about to be answered. True in the process that waits, when the copy has answered everything
    up to its `finish`; false where this process goes on: in the copy, where none is asked for, and where other threads run, which a copy wouldn't have."""
    global copied_for
    asked = request == "load" and stay() or request == "prepare" and copied_for != "prepare" and _is_a_look()
    if not asked or _has_threads():
        return False
    wire.copying = True
    process = os.fork()
    wire.copying = False
    if process == 0:
        copied_for = request
        wire.moved()
        return False
    _, status = os.waitpid(process, 0)
    if os.waitstatus_to_exitcode(status) != SERVED:
        what = "a source was loaded" if request == "load" else "a case was looked at"
        raise Fault("exit", "The process in which %s ended by itself." % what, "Let the subject return instead of ending the process.")
    return True


def _is_a_look():
    return bool(os.environ.get("TARE_LOOK"))


def _serves_loads():
    return os.environ.get("TARE_LOADS") == "1"


def _has_threads():
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1
