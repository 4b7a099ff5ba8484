"""`python -m tare`: the program that was installed beside this module, or the one on the PATH."""

import os
import shutil
import site
import sys
import sysconfig


def program():
    """The path of the program; None where there is none."""
    places = [sysconfig.get_path("scripts"), os.path.join(site.getuserbase(), "bin")]
    beside = (os.path.join(place, "tare") for place in places)
    return next((path for path in beside if os.access(path, os.X_OK)), None) or shutil.which("tare")


if __name__ == "__main__":
    found = program()
    if found is None:
        sys.exit("tare: the program isn't installed: pip install tare-bench")
    os.execv(found, [found] + sys.argv[1:])
