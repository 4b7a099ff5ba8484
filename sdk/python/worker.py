"""Entry of Tare's Python worker.

Every Python since 2.7 has to be able to parse this file, so that a runtime that is too old is told so over the wire; what is
newer lies in the packages that it imports.
"""

import os
import sys


def refuse(message):
    import json

    path = os.environ.get("TARE_WIRE")
    frame = {"frame": "fault", "id": -1, "kind": "runtime", "message": message}
    frame["remedy"] = "Name a newer Python with --runtime."
    wire = open(path, "w") if path else sys.stdout
    wire.write(json.dumps(frame) + "\n")
    wire.flush()


def load():
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.path.join(here, "src")
    # The folder of this file holds names that aren't the user's.
    if sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(here):
        del sys.path[0]
    sys.path.insert(0, source)
    # The compiled files lie beside the worker's own, not among the user's, and save most of a launch's start.
    written = sys.dont_write_bytecode
    sys.dont_write_bytecode = False
    try:
        import tare_worker.worker
    finally:
        sys.dont_write_bytecode = written
    # Processes that the user's code starts find `tare` here, after everything that is theirs.
    sys.path.remove(source)
    sys.path.append(source)
    return tare_worker.worker


if __name__ == "__main__":
    if sys.version_info < (3, 9):
        refuse("Python " + sys.version.split()[0] + " is too old: Tare needs 3.9 or later.")
        sys.exit(0)
    load().main()
