"""A look at what cases depend on (PROTOCOL 1.10): the process is copied for each case when its sources are loaded, so that one process's
loading serves many cases, and what a case touches is its own."""

import os
import sys

from tare_worker.fault import Fault

is_copy = False


def is_asked():
    """Whether the core asks for a look, and processes can be copied here."""
    return bool(os.environ.get("TARE_LOOK")) and hasattr(os, "fork")


def is_served_by_a_copy(wire):
    """Copies the process for a case that is about to be prepared. True in the first process, when the copy has answered everything up to its
    `finish`; false where this process goes on with the case: in the copy, where no look is asked for, and where other threads run, which a
    copy wouldn't have."""
    global is_copy
    if is_copy or not is_asked() or _has_threads():
        return False
    wire.copying = True
    process = os.fork()
    wire.copying = False
    if process == 0:
        is_copy = True
        wire.moved()
        return False
    _, status = os.waitpid(process, 0)
    if status != 0:
        raise Fault("exit", "The process in which a case was looked at ended by itself.", "Let the subject return instead of ending the process.")
    return True


def _has_threads():
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1
