"""Code of the project that was imported from outside of the revision that is to be measured.

A revision is checked out to `FOLDER/COMMIT` beside a file `FOLDER/project`, which holds the path of the working tree, and its process starts there. What
`pip install -e` has put in the interpreter's path still leads to the project's working tree: both sides of a comparison would run that, and read the same. It is led to the checkout (`redirect`), and what is imported
from the working tree in another way is refused (`check`). So is a package that is installed for good (by `pip install .`, or because another one needs it) and found before
the checkout's `src`, and what lies in a folder of `PYTHONPATH` (`pip install --target`)."""

import functools
import os
import sys

from tare_worker.fault import LIBRARY, PACKAGES, Fault

# The standard library's, and the worker's own.
BELONGING = tuple(os.path.join(os.path.realpath(folder), "") for folder in (LIBRARY, os.path.dirname(__file__)))

HEXADECIMAL = frozenset("0123456789abcdef")

# Names and files of modules in which `check` found nothing: copies of this process needn't look again.
_passed = set()


def started_in():
    """The folder that this process was started in; empty where it is gone."""
    try:
        return os.path.realpath(os.getcwd())
    except OSError:
        return ""


def _is_commit(name):
    return len(name) in (40, 64) and HEXADECIMAL.issuperset(name)


@functools.lru_cache(maxsize=8)
def places(folder):
    """The root of the checkout that `folder` lies in, and that of the working tree; None where it lies in no checkout."""
    checkout = folder
    while os.path.dirname(checkout) != checkout:
        # Nothing else is looked up: another side would have to have the same.
        if _is_commit(os.path.basename(checkout)):
            try:
                with open(os.path.join(os.path.dirname(checkout), "project"), "rb") as file:
                    return checkout, os.fsdecode(file.read())
            except OSError:
                pass
        checkout = os.path.dirname(checkout)
    return None


def redirect(folder):
    """Has the interpreter find a revision's own folders where `pip install -e` leads it to those of the working tree. `folder`: where the process was started."""
    found = places(folder)
    if found is None:
        return
    sys.path[:] = [_led(found, entry) for entry in sys.path]
    # Where packages don't lie in a folder named after them setuptools installs a finder, a module with a table from names to places.
    for name, module in list(sys.modules.items()):
        mapping = getattr(module, "MAPPING", None)
        if name.startswith("__editable__") and isinstance(mapping, dict):
            mapping.update({package: _led(found, place) for package, place in mapping.items()})


def _led(found, place):
    """The same place in the checkout, where it lies in the working tree, is none of an environment, and is there."""
    checkout, working = found
    real = os.path.realpath(place) if isinstance(place, str) and place else ""
    foreign = (os.path.join(os.path.dirname(checkout), ""), sys.prefix + os.sep)
    if not (real + os.sep).startswith(working + os.sep) or real.startswith(foreign) or any(part in real + os.sep for part in PACKAGES):
        return place
    own = checkout + real[len(working) :]
    return own if os.path.exists(own) else place


def check(folder, modules):
    """Raises a fault where a module came from the working tree, or is installed, and differs from the revision's own. `folder`: where the process was started."""
    found = places(folder)
    if found is None:
        return
    checkout, working = (root + os.sep for root in found)
    checkouts = os.path.join(os.path.dirname(found[0]), "")
    for name, module in sorted(modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or (name, file) in _passed:
            continue
        asked, file = file, os.path.realpath(file)
        if not file.startswith(working) or file.startswith(checkouts) or any(part in file for part in PACKAGES) or file.startswith(sys.prefix + os.sep):
            _check_installed((folder, checkout), name, file)
        elif _content(file) != _content(checkout + file[len(working) :]):
            raise Fault(
                "load",
                "`%s` was imported from the working tree (%s), and the revision's own file is another: what would be measured isn't the revision." % (name, file),
                "Take out what leads there (an editable install, say) and set PYTHONPATH=. or what the project needs; or let `prepare` of [compare] in tare.toml install each revision into an "
                "environment of its own, and name its interpreter.",
                checkout + file[len(working) :],
            )
        _passed.add((name, asked))


def shadowed(folder, modules):
    """For each package that is installed and found before the project's own, which is another: a fault. `folder`: where the process was started. Nothing of a checkout, where
    `check` refuses it."""
    if places(folder) is not None:
        return []
    found = {}
    for name, module in sorted(modules.items()):
        file = getattr(module, "__file__", None)
        # Each launch asks, and most modules are the standard library's.
        if not isinstance(file, str) or file.startswith(LIBRARY) and not any(part in file for part in PACKAGES):
            continue
        file = os.path.realpath(file)
        own, root = _own([folder], name, file) or (None, None)
        if own is not None:
            message = "`%s` is installed (%s), and the project's own file is another: the installed one is measured." % (name, file)
            remedy = "To measure the project's own, set PYTHONPATH=%s, or install it with `pip install -e .`." % (root or ".")
            found.setdefault(name.partition(".")[0], Fault("load", message, remedy, own))
    return list(found.values())


def _check_installed(folders, name, file):
    own, root = _own(folders, name, file) or (None, None)
    if own is not None:
        raise Fault(
            "load",
            "`%s` is installed (%s), and the revision's own file is another: what would be measured isn't the revision." % (name, file),
            "Set PYTHONPATH=%s, so that the revision's own is found first; or let `prepare` of [compare] in tare.toml install each revision into an environment of its own, and "
            "name its interpreter." % (root or "."),
            own,
        )


def _own(folders, name, file):
    """The file that a package has in one of the folders, with `src` or an empty text for where it lies there, if it is installed outside of the last one and that file is another.
    One that was installed into an environment within the last folder is what was asked for."""
    package = name.partition(".")[0]
    inside = None if file.startswith(os.path.join(folders[-1], "")) else _inside(file)
    if inside is None or inside.split(os.sep)[0] not in (package, package + ".py"):
        return None
    for place, root in [(folder, root) for folder in folders for root in ("src", "")]:
        own = os.path.join(place, root, inside)
        if os.path.isfile(own) and _content(file) != _content(own):
            return own, root
    return None


def _inside(file):
    """Where a module's file lies in what it was found in: an environment's packages, or another folder of the path. None of the standard library's and the worker's own."""
    packaged = next((file.rpartition(part)[2] for part in PACKAGES if part in file), None)
    if packaged is not None:
        return packaged
    if file.startswith(BELONGING):
        return None
    return next((file[len(root) :] for root in _roots(tuple(sys.path)) if file.startswith(root)), None)


@functools.lru_cache(maxsize=1)
def _roots(path):
    """Folders of the path, the longest first: nothing is found in one of them by the name that it has in another one around it."""
    found = {os.path.realpath(entry) for entry in path if isinstance(entry, str) and entry}
    return sorted((os.path.join(root, "") for root in found), key=len, reverse=True)


def _content(file):
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError:
        return None
