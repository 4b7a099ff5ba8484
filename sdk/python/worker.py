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


def read_only_sources(folder):
    """Modules below the folder are always compiled from their sources.

    Python takes a compiled file's word for what the source says. The core verifies the sources before each run, and nothing
    else: so nothing else is executed, and nothing is written there. The user's own modules are imported as ever.
    """
    from importlib.machinery import FileFinder, SourceFileLoader

    class Source(SourceFileLoader):
        def get_code(self, fullname):
            path = self.get_filename(fullname)
            return self.source_to_code(self.get_data(path), path)

    def finder(path):
        if path != folder and not path.startswith(folder + os.sep):
            raise ImportError("not one of Tare's folders")
        return FileFinder(path, (Source, [".py"]))

    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.pop(folder, None)


def load():
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.path.join(here, "src")
    # The folder of this file holds names that aren't the user's.
    if sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(here):
        del sys.path[0]
    sys.path.insert(0, source)
    read_only_sources(source)
    import tare_worker.worker

    # Processes that the user's code starts find `tare` here, after everything that is theirs.
    sys.path.remove(source)
    sys.path.append(source)
    return tare_worker.worker


if __name__ == "__main__":
    if sys.version_info < (3, 9):
        refuse("Python " + sys.version.split()[0] + " is too old: Tare needs 3.9 or later.")
        sys.exit(0)
    load().main()
