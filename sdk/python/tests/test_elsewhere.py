"""Revisions whose process imports the working tree's code, as after `pip install -e`."""

import os
import sys
import types
import unittest
from unittest import mock

from session import HERE, Session, Sources

sys.path.append(os.path.join(os.path.dirname(HERE), "src"))
from tare_worker import elsewhere  # noqa: E402
from tare_worker.elsewhere import places  # noqa: E402
from tare_worker.fault import Fault  # noqa: E402

BENCH = "import codec\ndef bench_a(): codec.work()\n"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FINDER = '''
import importlib.util, sys
MAPPING = {{"codec": {place!r}}}
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return importlib.util.spec_from_file_location(name, MAPPING[name]) if name in MAPPING else None
sys.meta_path.insert(0, Finder)
'''
TESTS = "import codec\ndef test_a(benchmark): benchmark(codec.work)\n"


class Elsewhere(unittest.TestCase):
    # Of the user's cache, or in the project where that can't be used.
    above = "checkouts"

    def checkout(self, sources):
        """A checkout's folder, whose working tree is another one's."""
        sources.write(os.path.join(self.above, "project"), sources.path("working"))
        return os.path.join(self.above, COMMIT)

    def reply(self, inner, old, new, file="bench_a.py", path=""):
        """To `prepare`, of a revision with `old` beside a working tree with `new`; the project lies in the folder `inner` of the repository."""
        with Sources() as sources:
            checkout = os.path.join(self.checkout(sources), inner)
            sources.write(os.path.join(checkout, file), BENCH if file.startswith("bench") else TESTS)
            sources.write(os.path.join(checkout, path, "codec.py"), old)
            sources.write(os.path.join("working", inner, path, "codec.py"), new)
            # What `pip install -e` writes comes after the folder of the file, which the worker puts first.
            places = [sources.path(os.path.join("working", inner, path))] if path else []
            session = Session(environment={"PYTHONPATH": os.pathsep.join(places)}, folder=sources.path(checkout))
            with session:
                session.load(sources.path(os.path.join(checkout, file)))
                return session.prepare(file[:-3])

    def test_a_folder_of_the_working_tree_in_the_path_becomes_the_revisions(self):
        for inner in ("", "benchmarks/python"):
            for file in ("bench_a.py", "test_a.py"):
                reply = self.reply(inner, "def work(): pass\n", "raise SystemError('the working tree')\n", file, "src")
                self.assertEqual(reply["frame"], "ready", reply)

    def found_by(self, finder, new, path="lib"):
        """Likewise, where the interpreter's start installs a finder that loads `codec` from the working tree."""
        with Sources() as sources, Sources() as environment:
            checkout = self.checkout(sources)
            sources.write(os.path.join(checkout, "bench_a.py"), BENCH)
            sources.write(os.path.join(checkout, path, "codec.py"), "def work(): pass\n")
            sources.write(os.path.join("working", "lib", "codec.py"), new)
            place = os.path.join(sources.path("working"), "lib", "codec.py")
            environment.write(finder + ".py", FINDER.format(place=place))
            environment.write("sitecustomize.py", "import %s\n" % finder)
            with Session(environment={"PYTHONPATH": environment.path("")}, folder=sources.path(checkout)) as session:
                session.load(sources.path(os.path.join(checkout, "bench_a.py")))
                return session.prepare("bench_a")

    def test_a_finder_of_an_editable_install_finds_the_revisions(self):
        self.assertEqual(self.found_by("__editable___codec_finder", "raise SystemError('the working tree')\n")["frame"], "ready")

    def test_a_module_that_belongs_is_looked_at_once_and_one_that_does_not_each_time(self):
        with Sources() as sources:
            checkout = self.checkout(sources)
            modules = {}
            for name, new in (("same", "old"), ("other", "new")):
                sources.write(os.path.join(checkout, name + ".py"), "old")
                sources.write(os.path.join("working", name + ".py"), new)
                module = types.SimpleNamespace(__file__=os.path.join(sources.path("working"), name + ".py"))
                modules[name] = {name: module}
            folder = os.path.realpath(sources.path(checkout))
            elsewhere.check(folder, modules["same"])
            with mock.patch.object(elsewhere.os.path, "realpath", side_effect=AssertionError("looked at again")):
                elsewhere.check(folder, modules["same"])
            for _ in range(2):
                self.assertRaises(Fault, elsewhere.check, folder, modules["other"])

    def test_what_another_finder_takes_from_the_working_tree_is_refused_where_the_revision_has_it_otherwise(self):
        fault = self.found_by("other", "def work(): return 1\n")
        self.assertEqual((fault["frame"], fault["kind"]), ("fault", "load"), fault)
        self.assertIn("`codec` was imported from the working tree", fault["message"])
        self.assertTrue(fault["file"].endswith(os.path.join(COMMIT, "lib", "codec.py")), fault["file"])
        self.assertEqual(self.found_by("other", "def work(): pass\n")["frame"], "ready")

    def test_what_the_revision_has_in_another_place_is_refused(self):
        fault = self.found_by("__editable___codec_finder", "def work(): return 1\n", "moved")
        self.assertEqual((fault["frame"], fault["kind"]), ("fault", "load"), fault)

    def installed(self, own, installed, environment, folder=os.path.join("lib", "site-packages")):
        """Likewise, of a revision with `own` in its `src` and a package that is installed in `environment`, which is found first."""
        with Sources() as sources:
            checkout = self.checkout(sources)
            packages = os.path.join(environment.format(checkout=checkout), folder)
            sources.write(os.path.join(checkout, "bench_a.py"), BENCH)
            sources.write(os.path.join(checkout, "src", "codec", "__init__.py"), own)
            sources.write(os.path.join(packages, "codec", "__init__.py"), installed)
            session = Session(environment={"PYTHONPATH": sources.path(packages)}, folder=sources.path(checkout))
            with session:
                session.load(sources.path(os.path.join(checkout, "bench_a.py")))
                return session.prepare("bench_a")

    def test_an_installed_package_that_the_revision_has_otherwise_is_refused(self):
        fault = self.installed("def work(): pass\n", "def work(): return 1\n", "elsewhere")
        self.assertEqual((fault["frame"], fault["kind"]), ("fault", "load"), fault)
        self.assertIn("`codec` is installed", fault["message"])
        self.assertIn("PYTHONPATH=src", fault["remedy"])
        self.assertTrue(fault["file"].endswith(os.path.join(COMMIT, "src", "codec", "__init__.py")), fault["file"])

    def test_a_package_in_a_folder_of_the_path_that_the_revision_has_otherwise_is_refused(self):
        # As `pip install --target` puts it there; beside the project, and not in its working tree.
        with Sources() as elsewhere:
            fault = self.installed("def work(): pass\n", "def work(): return 1\n", elsewhere.path("target"), "")
            self.assertEqual((fault["frame"], fault.get("kind")), ("fault", "load"), fault)
            self.assertIn("`codec` is installed", fault["message"])
            self.assertEqual(self.installed("def work(): pass\n", "def work(): pass\n", elsewhere.path("target"), "")["frame"], "ready")

    def test_an_installed_package_may_be_the_revisions_code_or_lie_in_its_environment(self):
        self.assertEqual(self.installed("def work(): pass\n", "def work(): pass\n", "elsewhere")["frame"], "ready")
        # As `prepare` builds it.
        built = self.installed("def work(): pass\n", "def work(): return 1\n", "{checkout}/.venv")
        self.assertEqual(built["frame"], "ready")

    def test_an_installed_package_that_is_measured_in_place_of_the_projects_own_is_told_once(self):
        for own, told in (("def work(): return 1\n", 1), ("def work(): pass\n", 0)):
            with Sources() as sources, Sources() as elsewhere:
                packages = os.path.join("lib", "site-packages")
                sources.write("bench_a.py", BENCH)
                sources.write(os.path.join("src", "codec", "__init__.py"), own)
                elsewhere.write(os.path.join(packages, "codec", "__init__.py"), "def work(): pass\n")
                session = Session(environment={"PYTHONPATH": elsewhere.path(packages)}, folder=sources.folder)
                with session:
                    session.load(sources.path("bench_a.py"))
                    self.assertEqual(len(session.notices), told, session.notices)
                    for notice in session.notices:
                        self.assertEqual(notice["level"], "warning")
                        self.assertIn("`codec` is installed", notice["message"])
                        self.assertIn("PYTHONPATH=src", notice["remedy"])
                        self.assertTrue(notice["file"].endswith(os.path.join("src", "codec", "__init__.py")), notice)
                    self.assertEqual(session.prepare("bench_a")["frame"], "ready")

    def test_the_revisions_own_is_measured(self):
        self.assertEqual(self.reply("", "def work(): pass\n", "def work(): return 1\n")["frame"], "ready")

    def test_where_a_checkout_lies(self):
        with Sources() as sources:
            checkout = sources.path(self.checkout(sources))
            self.assertIsNone(places(sources.path("working")))
            for folder in (checkout, os.path.join(checkout, "tools", "py")):
                self.assertEqual(places(folder), (checkout, sources.path("working")))
            # A commit's name alone makes no checkout.
            self.assertIsNone(places(sources.path(COMMIT)))


class ElsewhereInTheProject(Elsewhere):
    above = os.path.join("working", ".tare", "worktrees")
