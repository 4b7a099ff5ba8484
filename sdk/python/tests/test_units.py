"""Units of source files: what of a source counts as the same, and what as another."""

import json
import os
import subprocess
import sys
import unittest

from session import HERE, Sources

SCRIPT = os.path.join(os.path.dirname(HERE), "units.py")


def units(*texts):
    """The units of each text by name, or the fault."""
    with Sources() as sources:
        paths = [sources.write("%d.py" % number, text) for number, text in enumerate(texts)]
        command = [sys.executable, "-I", "-B", SCRIPT]
        done = subprocess.run(command, input="\n".join(paths).encode(), stdout=subprocess.PIPE, check=True)
    header, *lines = map(json.loads, done.stdout.splitlines())
    assert header["language"] == "python" and header["runtime"] == sys.version
    return [{unit["name"]: unit for unit in line["units"]} if "units" in line else line["fault"] for line in lines]


def differing(first, second):
    """Names of the units whose content differs."""
    first, second = units(first, second)
    return sorted(
        name for name in {*first, *second} if first.get(name, {}).get("digest") != second.get(name, {}).get("digest")
    )


SOURCE = '''"""Docs."""
import os
X = 1
def f(a, b=2):
    """Docs of f."""
    def inner():
        return a
    return inner, [x for x in b], lambda y: y + 1
class C(Base):
    """Docs of C."""
    y = 3
    def m(self):
        return super().m()
    @property
    def p(self):
        return 1
'''


class Units(unittest.TestCase):
    def test_every_function_class_and_constant_is_a_unit(self):
        (found,) = units(SOURCE)
        kinds = {name: unit["kind"] for name, unit in found.items()}
        functions = dict.fromkeys(("f", "f.<locals>.inner", "C.m", "C.p"), "function")
        self.assertEqual(kinds, {"<module>": "module", "X": "constant", "C": "class", **functions})
        self.assertEqual(found["C"]["bases"], ["Base"])
        self.assertEqual((found["C.p"]["line"], found["C.p"]["end"]), (14, 16))

    def test_what_differs_is_the_unit_it_stands_in(self):
        for old, new, expected in (
            ("Docs.", "Words.", []),
            ("Docs of f.", "Words.", []),
            ("import os\n", "import os  # comment\n\n", []),
            ("    y = 3", "    y  =  3", []),
            ("import os\n", "import sys\n", ["<module>"]),
            ("X = 1", "X = 2", ["X"]),
            ("X = 1", "X = 1.0", ["X"]),
            ("b=2", "b=3", ["f"]),
            ("b=2", "b=g()", ["<module>", "f"]),
            ("return a\n", "return -a\n", ["f.<locals>.inner"]),
            ("y + 1", "y + 2", ["f"]),
            ("y = 3", "y = 4", ["C"]),
            ("super().m()", "super().m(1)", ["C.m"]),
            ("    @property\n", "", ["C.p"]),
            ("C(Base)", "C(Other)", ["<module>"]),
            ("class C", "def g(): pass\nclass C", ["g"]),
            ("class C", "def os(): pass\nclass C", ["<module>", "os"]),
        ):
            self.assertEqual(SOURCE.count(old), 1, old)
            self.assertEqual(differing(SOURCE, SOURCE.replace(old, new)), expected, (old, new))

    def test_names_are_told_by_where_they_are_looked_up(self):
        (found,) = units("G = [g]\nfrom m import a, b as c\ndef f(self):\n    t = self.x.y\n    return t, h, 'visit_' + t, getattr(t, 'z')\n")
        self.assertEqual(found["f"]["globals"], ["getattr", "h"])
        self.assertEqual(found["f"]["names"], ["x", "y", "z"])
        self.assertEqual(found["f"]["strings"], ["visit_", "z"])
        self.assertEqual(found["f"]["joints"], ["visit_"])
        self.assertNotIn("flags", found["f"])
        self.assertEqual((found["<module>"]["globals"], found["<module>"]["imports"]), (["g"], ["a"]))
        self.assertEqual(found["<module>"]["names"], ["b"])

    def test_what_finds_or_lists_by_computed_names_is_flagged(self):
        for text, flags in (
            ("getattr(x, n)", ["dynamic"]),
            ("getattr(x, 'n')", None),
            ("eval(x)", ["dynamic", "runs-text"]),
            ("eval('x')", ["dynamic"]),
            ("re.compile(x)", None),
            ("__import__(x)", ["dynamic", "loads"]),
            ("__import__('x')", None),
            ("import_module('a' if x else 'b')", ["dynamic"]),
            ("import_module('a' if x else x)", ["dynamic", "loads"]),
            ("import_module('part_' + x)", ["dynamic"]),
            ("import_module('part_%s' % x)", ["dynamic"]),
            ("import_module('p.part_%s' % x)", ["dynamic", "loads"]),
            ("import_module(f'p.part_{x}')", ["dynamic", "loads"]),
            ("map(import_module, x)", ["dynamic", "loads"]),
            ("(importlib.import_module, 1)", ["dynamic", "loads"]),
            ("(exec, open)", ["dynamic", "opens", "runs-text"]),
            ("x.open", None),
            ("import_module(f'part_{x}')", ["dynamic"]),
            ("import_module('parts.' + x)", ["dynamic", "loads"]),
            ("import_module('p' + 'art_' + x)", ["dynamic", "loads"]),
            ("import_module('{}_part'.format(x))", ["dynamic", "loads"]),
            ("run_path('part_' + x)", ["dynamic"]),
            ("run_path('parts/p_' + x)", ["dynamic", "loads"]),
            ("spec_from_file_location('x', n)", ["loads"]),
            ("open(x), open('x').read()", ["opens"]),
            ("x.read_text()", ["opens"]),
            ("dir(x)", ["dynamic", "enumerates"]),
            ("[k for k in x.__dict__]", ["dynamic", "enumerates"]),
            ("x.__dict__['n']", None),
            ("x.__dict__[n]", ["dynamic"]),
            ("x.__class__.__name__", ["class-names"]),
        ):
            (found,) = units("def f(x, n):\n    return %s\n" % text)
            self.assertEqual(found["f"].get("flags"), flags, text)

    def test_what_runs_tests_loads_what_it_is_told(self):
        text = "def f(x):\n    return __import__(x)\n"
        with Sources() as sources:
            paths = [sources.write("site-packages/%s.py" % name, text) for name in ("_pytest/pathlib", "pytest_benchmark/fixture", "lib/loader")]
            done = subprocess.run([sys.executable, "-I", "-B", SCRIPT], input="\n".join(paths).encode(), stdout=subprocess.PIPE, check=True)
        found = [json.loads(line)["units"][1]["flags"] for line in done.stdout.splitlines()[1:]]
        self.assertEqual(found, [["dynamic"], ["dynamic"], ["dynamic", "loads"]])

    def test_hostile_sources_have_faults_or_units(self):
        deep = "x = " + "(" * 90 + "1" + ")" * 90
        found = units("def (", b"\xff\xfe", "\0", "x = " + "-" * 100_000 + "1", deep, "x = '" + "a" * 2_000_000 + "'", "", "x = 1" + "0" * 10_000)
        self.assertTrue(all(isinstance(one, str) for one in found[:3]), found[:3])
        self.assertIn("X" if "X" in found[5] else "x", found[5])
        self.assertEqual(found[5]["x"]["flags"], ["unbounded"])
        self.assertEqual(list(found[6]), ["<module>"])
        self.assertIn("x", found[7])
