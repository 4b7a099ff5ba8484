//! What a change of a Python source means for a case whose executed units are known.

use crate::extracted::Look;
use tare_units::{Decision, Reach};

const PLAIN: &str = r#"
"""Docs."""
import os

LIMIT = 10
UNUSED = 1

def bench():
    """Calls used()."""
    return used(1)

def used(x: int = 2) -> int:
    return x + LIMIT

def never(y):
    return rare(y)

def rare(y):
    return y

class Shape:
    sides = 4
    def area(self):
        return 1
    def perimeter(self):
        return 2
"#;

fn plain() -> Look {
    Look::python(&[("bench.py", PLAIN)]).ran(&["bench.py bench", "bench.py used"])
}

#[test]
fn comments_docs_and_what_nothing_names_are_the_same() {
    let look = plain();
    assert!(look.is_same("bench.py", "import os\n", "import os\n# a comment, and\n\n\n"));
    assert!(look.is_same("bench.py", "Calls used().", "Other words."));
    assert!(look.is_same("bench.py", "return rare(y)", "return rare(y) + 1"));
    assert!(look.is_same("bench.py", "    return y\n", "    return y * 2\n"), "named by what nothing reaches");
    assert!(look.is_same("bench.py", "UNUSED = 1", "UNUSED = 2"));
    assert!(look.is_same("bench.py", "return 2\n", "return 3\n"), "no object of the class can be");
    assert!(look.is_same("bench.py", "def never(y):", "def added(z):\n    return 5\n\ndef never(y):"));
    assert!(look.is_same("bench.py", "def never(y):\n    return rare(y)\n", ""));
}

#[test]
fn a_version_counts_where_code_that_ran_names_it() {
    // By a name that is put together, in a file that another call may load, or by one that enumerates: no call computes with it.
    let computes = "import importlib\nclass T:\n    def as_dict(self, x='__ver'):\n        importlib.import_module(x)\n        return getattr(self, x + 'sion__')\ndef bench():\n    return T().as_dict, vars(T)\n";
    let lib = "__version__ = '777'\n__author__ = 'A'\nLIMIT = 555\n";
    let look = |bench: &str| {
        Look::python(&[("bench.py", bench), ("lib.py", lib)]).ran(&["bench.py bench", "bench.py T.as_dict"])
    };
    assert!(look(computes).is_same("lib.py", "777", "9"));
    assert!(look(computes).unloaded("lib.py").is_same("lib.py", "777", "9"));
    assert!(!look(computes).unloaded("lib.py").is_same("lib.py", "555", "9"), "another constant");
    let names = computes.replace("vars(T)", "lib.__version__").replace("import importlib", "import importlib, lib");
    assert_eq!(look(&names).differing("lib.py", "777", "9"), "__version__");
    assert!(!look(&names).unloaded("lib.py").is_same("lib.py", "777", "9"));
}

#[test]
fn what_is_executed_counts() {
    let look = plain();
    assert_eq!(look.differing("bench.py", "x + LIMIT", "x - LIMIT"), "used");
    assert_eq!(look.differing("bench.py", "int = 2", "int = 3"), "used");
    assert_eq!(look.differing("bench.py", "import os", "import os, sys"), "<module>");
    assert_eq!(look.differing("bench.py", "sides = 4", "sides = 5"), "Shape");
    assert_eq!(look.differing("bench.py", "LIMIT = 10", "LIMIT = 11"), "LIMIT");
    assert_eq!(look.differing("bench.py", "def used(x: int = 2) -> int:\n    return x + LIMIT\n", ""), "used");
    assert_eq!(look.differing("bench.py", "return used(1)", "_ = 0; return used(1)"), "bench");
}

/// A case of which `bench` ran, and what is changed in the text; `None` stands for no proof lost.
fn reached(text: &str, ran: &[&str], from: &str) -> Option<(String, Reach)> {
    let ran: Vec<String> = ran.iter().map(|name| format!("bench.py {name}")).collect();
    let ran: Vec<&str> = ran.iter().map(String::as_str).collect();
    match Look::python(&[("bench.py", text)]).ran(&ran).changed("bench.py", from, "9") {
        Decision::Different { unit, reach, .. } => Some((unit, reach)),
        Decision::Same { .. } => None,
        Decision::Unknown { why } => panic!("{why}"),
    }
}

#[test]
fn rare_paths_are_found_by_name() {
    // Each text has `777` in a unit that the look didn't execute, and another call could.
    let texts = [
        (
            "a frame's namespace",
            "import sys\ndef bench(n='1'):\n    return sys._getframe().f_globals['ra' + n]\ndef rare():\n    return 777\n",
        ),
        (
            "a function's namespace",
            "def bench(n=''):\n    return [v for v in bench.__globals__.values() if v == n]\ndef rare():\n    return 777\n",
        ),
        (
            "locals of a module",
            "def bench(n=''):\n    return ALL[n] if n else 1\ndef rare():\n    return 777\nALL = dict(locals())\n",
        ),
        (
            "what another object's class has",
            "class Shape:\n    def rare(self):\n        return 777\nclass Other:\n    def bench(klass):\n        return list(klass.__dict__)\ndef bench():\n    return Shape(), Other.bench(Shape)\n",
        ),
        ("a branch", "def bench(x=0):\n    return rare() if x else 1\ndef rare():\n    return 777\n"),
        (
            "through another",
            "def bench(x=0):\n    return a() if x else 1\ndef a():\n    return b()\ndef b():\n    return 777\n",
        ),
        (
            "a method",
            "class A:\n    def m(self):\n        return 777\ndef bench(x=0):\n    return A().m() if x else 1\n",
        ),
        (
            "an operator",
            "class A:\n    def __add__(self, o):\n        return 777\ndef bench(x=0):\n    a = A()\n    return a + a if x else 1\n",
        ),
        (
            "a context manager",
            "class A:\n    def __exit__(self, *a):\n        return 777\ndef bench(x=0):\n    return A()\n",
        ),
        (
            "a visitor",
            "class V:\n    def visit(self, n):\n        return getattr(self, 'visit_' + n.kind)(n)\n    def visit_leaf(self, n):\n        return 777\ndef bench(n=None):\n    return V().visit(n) if n else 1\n",
        ),
        (
            "by class names",
            "class Leaf: pass\nclass V:\n    def visit(self, n):\n        return getattr(self, 'on' + type(n).__name__)(n)\n    def onLeaf(self, n):\n        return 777\ndef bench():\n    return V().visit(Leaf())\n",
        ),
        (
            "an f-string",
            "class V:\n    def go(self, k):\n        return getattr(self, f'do_{k}')()\n    def do_it(self):\n        return 777\ndef bench():\n    return V().go('x')\n",
        ),
        (
            "names from strings of both parts",
            "def left_right():\n    return 777\ndef bench(a='left', b='right'):\n    return globals()[a + '_' + b]()\n",
        ),
        (
            "a string that names it",
            "def bench(name='rare'):\n    return getattr(__import__('bench'), name)\ndef rare():\n    return 777\n",
        ),
        (
            "another case of letters",
            "def bench(name='FOO-BAR'):\n    return globals()[name.lower().replace('-', '_')]\ndef foo_bar():\n    return 777\n",
        ),
        (
            "a registry",
            "HANDLERS = {}\ndef handler():\n    return 777\nHANDLERS['x'] = handler\ndef bench(k='y'):\n    return HANDLERS.get(k)\n",
        ),
        (
            "a registering decorator",
            "HANDLERS = []\ndef register(f):\n    HANDLERS.append(f)\n    return f\n@register\ndef handler():\n    return 777\ndef bench(k=0):\n    return HANDLERS[k]() if k else 1\n",
        ),
        ("a callback of C", "def key(x):\n    return 777\ndef bench(xs=()):\n    return sorted(xs, key=key)\n"),
        (
            "a subclass that overrides",
            "class A:\n    def m(self):\n        return 1\nclass B(A):\n    def m(self):\n        return 777\ndef make(n):\n    return (A, B)[n]()\ndef bench(n=0):\n    return make(n).m()\n",
        ),
        (
            "__init_subclass__",
            "class A:\n    all = []\n    def __init_subclass__(cls):\n        A.all.append(cls)\nclass B(A):\n    def m(self):\n        return 777\ndef bench(n=9):\n    return [getattr(c(), 'm')() for c in A.all[n:]]\n",
        ),
        (
            "a metaclass",
            "class Meta(type):\n    def __new__(m, n, b, d):\n        c = type.__new__(m, n, b, d)\n        c.f = d.get('handle')\n        return c\nclass B(metaclass=Meta):\n    def handle(self):\n        return 777\ndef bench(n=0):\n    return B\n",
        ),
        (
            "a property",
            "class A:\n    @property\n    def p(self):\n        return 777\ndef bench(x=0):\n    return A().p if x else 1\n",
        ),
        (
            "__getattr__",
            "class A:\n    def __getattr__(self, name):\n        return 777\ndef bench(x=0):\n    return A().q if x else 1\n",
        ),
        (
            "a monkey patch",
            "class A:\n    def m(self):\n        return 1\ndef patch(self):\n    return 777\nif len('x') > 2:\n    A.m = patch\ndef bench():\n    return A().m()\n",
        ),
        (
            "an alias",
            "class A:\n    def real(self):\n        return 777\n    run = real\ndef bench(x=0):\n    return A().run() if x else 1\n",
        ),
        (
            "members that are listed",
            "def rare():\n    return 777\ndef bench(x=''):\n    return [v for k, v in globals().items() if k == x]\n",
        ),
        (
            "its own members",
            "import inspect\nclass R:\n    def rules(self):\n        return inspect.getmembers(self)\n    def quiet(self):\n        return 777\ndef bench():\n    return R().rules()\n",
        ),
        ("a generator", "def gen():\n    yield 777\ndef bench(x=0):\n    return list(gen()) if x else 1\n"),
        (
            "within a function",
            "def bench(x=0):\n    def inner():\n        return 777\n    return inner() if x else 1\n",
        ),
        (
            "a class within a function",
            "def bench(x=0):\n    class C:\n        def m(self):\n            return 777\n    return C().m() if x else 1\n",
        ),
        (
            "attrgetter",
            "from operator import methodcaller\nclass A:\n    def rare(self):\n        return 777\nCALL = methodcaller('rare')\ndef bench(x=0):\n    return CALL(A()) if x else 1\n",
        ),
        (
            "a name that is handed on",
            "class P:\n    def __getattr__(self, name):\n        return getattr(self, '_' + name)\n    def _rare(self):\n        return 777\ndef bench(x=0):\n    return P().rare() if x else 1\n",
        ),
        (
            "a match",
            "class P:\n    @property\n    def far(self):\n        return 777\ndef bench(p=None):\n    match p:\n        case P(far=1):\n            return 1\n    return 0\n",
        ),
    ];
    let mut missed = Vec::new();
    for (what, text) in texts {
        let ran = if what == "its own members" { vec!["bench", "R.rules"] } else { vec!["bench"] };
        let found = reached(text, &ran, "777");
        match found {
            None => missed.push(what),
            Some((unit, reach)) => assert_ne!(reach, Reach::Executed, "{what}: nothing says that {unit} was"),
        }
    }
    assert_eq!(missed, Vec::<&str>::new(), "changes that another call could execute");
}

#[test]
fn what_the_runtimes_library_looks_up_is_in_a_module_only_where_one_is_handed_on() {
    const LIB: &str = "def other():\n    return 777\nclass Shape:\n    def other(self):\n        return 555\n";
    const STRING: &str = "def walk(x):\n    return x.other\n";
    let look = |bench: &str| {
        Look::python(&[("bench.py", bench), ("lib.py", LIB), ("/usr/lib/python3/string.py", STRING)])
            .ran(&["bench.py bench"])
    };
    let plain = "import lib\ndef bench():\n    return lib.Shape()\n";
    assert!(look(plain).is_same("lib.py", "777", "9"));
    assert_eq!(look(plain).differing("lib.py", "555", "9"), "Shape.other");
    for handed in ["def bench(x=''):\n    return str.join(lib, x)\n", "def bench():\n    return [v for v in [lib]]\n"] {
        assert_eq!(look(&format!("import lib\n{handed}")).differing("lib.py", "777", "9"), "other");
    }
}

#[test]
fn what_a_protocol_gains_counts_though_nothing_names_it() {
    let text = "from typing import Protocol\nclass Reads(Protocol):\n    def read_all(self):\n        return 1\ndef bench(x=1):\n    return isinstance(x, Reads)\n";
    let look = Look::python(&[("bench.py", text)]).ran(&["bench.py bench"]);
    let more = "        return 1\n    def more(self):\n        return 2\n";
    assert_eq!(look.differing("bench.py", "        return 1\n", more), "Reads.more");
}

#[test]
fn other_tests_of_a_file_count_where_the_case_collects_tests() {
    const TESTS: &str = "class TestA:\n    def test_other(self):\n        return rare()\n    def test_bench(self):\n        return 1\ndef rare():\n    return 777\ndef test_last():\n    return 555\n";
    let look = |ran: &[&str]| {
        Look::python(&[("test_a.py", TESTS), ("unittest.py", "def getTestCaseNames():\n    pass\n")]).ran(ran)
    };
    for (from, found) in [("777", "rare"), ("555", "test_last")] {
        assert!(look(&["test_a.py TestA.test_bench"]).is_same("test_a.py", from, "9"), "{from}");
        let collects = look(&["test_a.py TestA.test_bench", "unittest.py getTestCaseNames"]);
        assert_eq!(collects.differing("test_a.py", from, "9"), found);
    }
}

#[test]
fn what_a_changed_binding_may_hide_counts() {
    let text = "try:\n    from lib import fast\nexcept ImportError:\n    fast = None\ndef bench():\n    return fast\n";
    let lib = "def slow():\n    return 1\n";
    let look = Look::python(&[("bench.py", text), ("lib.py", lib)]).ran(&["bench.py bench"]);
    assert_eq!(look.differing("lib.py", "def slow", "def fast():\n    return 2\ndef slow"), "fast");
    assert!(look.is_same("lib.py", "def slow", "def other():\n    return 2\ndef slow"));
    // A method that overrides another is executed in its place.
    let text = "class A:\n    def m(self):\n        return 1\nclass B(A):\n    def n(self):\n        return 2\ndef bench():\n    return B().m()\n";
    let look = Look::python(&[("bench.py", text)]).ran(&["bench.py bench", "bench.py A.m"]);
    assert_eq!(look.differing("bench.py", "    def n", "    def m(self):\n        return 3\n    def n"), "B.m");
    // A definition that shadows what Python has.
    let look = Look::python(&[("bench.py", "def bench(x=()):\n    return len(x)\n")]).ran(&["bench.py bench"]);
    assert_eq!(look.differing("bench.py", "def bench", "def len(x):\n    return 1\ndef bench"), "len");
}

#[test]
fn files_that_were_not_loaded_count_where_they_can_be() {
    let bench = "def bench(x=0):\n    if x:\n        import lazy\n        return lazy.go()\n";
    let look = Look::python(&[
        ("bench.py", bench),
        ("lazy.py", "def go():\n    return 777\n"),
        ("other.py", "def go():\n    return 777\n"),
    ])
    .ran(&["bench.py bench"])
    .unloaded("lazy.py")
    .unloaded("other.py");
    assert_eq!(look.differing("lazy.py", "777", "9"), "go");
    assert!(look.is_same("other.py", "777", "9"));
    let bench = "import importlib\ndef bench(x=''):\n    return importlib.import_module('plugin_' + x) if x else 1\n";
    let look = Look::python(&[("bench.py", bench), ("plugin_a.py", "X = 777\n"), ("other.py", "X = 777\n")])
        .ran(&["bench.py bench"])
        .unloaded("plugin_a.py")
        .unloaded("other.py");
    assert!(!look.is_same("plugin_a.py", "777", "9"));
    assert!(look.is_same("other.py", "777", "9"));
    // Of a name that isn't begun nobody knows which it is.
    for (load, same) in [
        ("importlib.import_module('_'.join(('pl', x)))", false),
        ("importlib.import_module('plugins.' + x)", false),
        ("exec(open(x + '.py').read())", false),
        ("exec('1')", true),
        ("open(x + '.txt').read()", true),
    ] {
        let bench = format!("import importlib\ndef bench(x=''):\n    return {load} if x else 1\n");
        let look = Look::python(&[("bench.py", &bench), ("other.py", "X = 777\n")]).ran(&["bench.py bench"]);
        assert_eq!(look.unloaded("other.py").is_same("other.py", "777", "9"), same, "{load}");
    }
}

#[test]
fn a_file_in_a_folder_that_nothing_names_is_not_loaded() {
    for (bench, same) in [
        ("import sys\ndef bench(x=''):\n    if x:\n        import tool\n", true),
        ("import sys\ndef bench(x=''):\n    if x:\n        sys.path.append('.venv/lib')\n        import tool\n", false),
        (
            "import sys\ndef bench(x=''):\n    if x:\n        sys.path.append(f'.ve{x}/li' + x)\n        import tool\n",
            false,
        ),
        (
            "import sys\ndef bench(x=''):\n    if x:\n        getattr(sys, 'a' + x).append(f'.venv/li{x}')\n        import tool\n",
            false,
        ),
    ] {
        let look = Look::python(&[("bench.py", bench), (".venv/lib/tool.py", "X = 777\n"), ("tool.py", "X = 777\n")])
            .ran(&["bench.py bench"])
            .unloaded(".venv/lib/tool.py")
            .unloaded("tool.py");
        assert_eq!(look.is_same(".venv/lib/tool.py", "777", "9"), same, "{bench:?}");
        assert!(!look.is_same("tool.py", "777", "9"), "{bench}");
    }
}

#[test]
fn documentation_counts_where_it_is_read_and_numbers_of_lines_nowhere() {
    let docs = "def bench():\n    return help_of(bench)\ndef help_of(f):\n    return f.__doc__\ndef told():\n    '''Words.'''\nTOLD = [told]\n";
    let look = Look::python(&[("bench.py", docs)]).ran(&["bench.py bench", "bench.py help_of"]);
    assert_eq!(look.differing("bench.py", "Words.", "Other words."), "told");
    let lines = "import sys\ndef bench():\n    return sys._getframe().f_lineno\n";
    let look = Look::python(&[("bench.py", lines)]).ran(&["bench.py bench"]);
    assert!(look.is_same("bench.py", "import sys\n", "import sys\n\n"));
    let sources = "import inspect\ndef bench():\n    return inspect.getsource(bench)\n";
    let look = Look::python(&[("bench.py", sources)]).ran(&["bench.py bench"]);
    assert!(!look.is_same("bench.py", "import inspect\n", "import inspect\n# more\n"));
}

#[test]
fn words_from_elsewhere_name_units() {
    let text = "import json\ndef bench(path=''):\n    return globals()[json.load(open(path))['call']]()\ndef from_data():\n    return 777\n";
    let mut look = Look::python(&[("bench.py", text)]).ran(&["bench.py bench"]);
    // `globals` lists everything of its module, whatever the name is.
    assert!(!look.is_same("bench.py", "777", "9"));
    let text =
        text.replace("globals()[json.load(open(path))['call']]()", "getattr(json, json.load(open(path))['call'])()");
    look = Look::python(&[("bench.py", &text)]).ran(&["bench.py bench"]);
    assert!(look.is_same("bench.py", "777", "9"));
    look.words.add("calls.json", br#"{"call": "from_data"}"#);
    assert_eq!(look.differing("bench.py", "777", "9"), "from_data");
    look.words = tare_units::Words::default();
    look.words.add("calls.gz", b"\x1f\x8b\x08");
    assert!(matches!(look.changed("bench.py", "777", "9"), Decision::Unknown { .. }));
}

#[test]
fn globals_are_those_of_a_module_and_of_what_it_imports() {
    let other = ("other.py", "def far():\n    return 777\ndef near():\n    return 777\n");
    let look = |bench: &str| Look::python(&[("bench.py", bench), other]).ran(&["bench.py bench"]);
    let same = |bench: &str, unit: &str| {
        let [from, to] = ["777", "9"].map(|value| format!("def {unit}():\n    return {value}\n"));
        look(bench).is_same("other.py", &from, &to)
    };
    let finds = "import other\ndef bench(x=''):\n    return [v for k, v in globals().items() if k == x]\n";
    assert!(same(finds, "far"));
    assert!(!look(&format!("{finds}def beside():\n    return 777\n")).is_same("bench.py", "777", "9"));
    // What it imports by name, whether or not it uses it; and all that it imports without a name.
    let imports = finds.replace("import other", "from other import near");
    assert!(!same(&imports, "near") && same(&imports, "far"));
    assert!(!same(&finds.replace("import other", "from other import *"), "far"));
    // A function that is handed on may be called in another module.
    assert!(!same(&finds.replace("globals()", "(globals or x)()"), "far"));
    // The names of what it holds are found by pieces, as ever.
    let pieces = finds.replace("if k == x", "if getattr(v, 'fa' + x + 'r', 0)");
    assert!(!same(&pieces, "far"));
    // Another module is patched by name.
    let patched = "import other\nimport lib\ndef bench():\n    return lib.run()\n";
    let lib = ("lib.py", "def run():\n    return 1\n");
    let patches = "def bench_patch():\n    setattr(lib, 'ru' + 'n', other.far)\n";
    let look = Look::python(&[("bench.py", &format!("{patched}{patches}")), lib, other]);
    let look = look.ran(&["bench.py bench", "bench.py bench_patch", "lib.py run"]);
    assert!(!look.is_same("other.py", "def far():\n    return 777", "def far():\n    return 9"));
}

#[test]
fn a_module_that_opens_its_own_file_reads_no_other() {
    let other = ("other.py", "X = 777\n");
    let same = |bench: &str, file: &str, from: &str, to: &str| {
        Look::python(&[("bench.py", bench), other]).ran(&["bench.py bench"]).is_same(file, from, to)
    };
    let own = "import other\ndef bench():\n    return open(__file__).read()\n# a remark\n";
    assert!(!same(own, "bench.py", "# a remark", "# another one"));
    assert!(same(own, "other.py", "777", "777  # seven"));
    let others = own.replace("open(__file__)", "open(other.__file__)");
    assert!(!same(&others, "other.py", "777", "777  # seven"));
}

#[test]
fn a_function_of_a_module_is_listed_with_the_module_alone() {
    let lib = "class Plug:\n    def found(self):\n        return 777\n\n\ndef never():\n    return 888\n";
    let listing = |handed: &str| {
        format!("import lib\n\n\ndef bench():\n    return [getattr({handed}, n)() for n in dir({handed})]\n")
    };
    let of_object = listing("lib.Plug()");
    let look = Look::python(&[("bench.py", &of_object), ("lib.py", lib)]).ran(&["bench.py bench"]);
    assert!(!look.is_same("lib.py", "777", "9"));
    assert!(look.is_same("lib.py", "888", "9"));
    assert!(look.is_same("lib.py", "def never", "def added():\n    return 1\n\n\ndef never"));
    let others = ["lib", "__import__('sys').modules['lib']"].map(listing);
    let handed = "import lib\n\n\ndef show(x):\n    return dir(x)\n\n\ndef bench():\n    return show(lib)\n".to_owned();
    for text in others.into_iter().chain([handed]) {
        let look = Look::python(&[("bench.py", &text), ("lib.py", lib)]).ran(&["bench.py bench"]);
        assert!(!look.is_same("lib.py", "888", "9"), "{text}");
    }
}

#[test]
fn documentation_that_is_handed_on_is_not_read() {
    let lib = "def lib():\n    'Docs of lib.'\n    return 1\n";
    let same = |body: &str| {
        let bench = format!("import lib\n\n\ndef bench(x=None):\n    {body}\n");
        Look::python(&[("bench.py", &bench), ("lib.py", lib)])
            .ran(&["bench.py bench"])
            .is_same("lib.py", "Docs of", "As")
    };
    assert!(same("x.__doc__ = lib.lib.__doc__"));
    assert!(!same("x.__doc__ = lib.lib.__doc__.strip()"));
    assert!(!same("x.other = lib.lib.__doc__"));
    assert!(!same("return lib.lib.__doc__"));
}

#[test]
fn a_constant_that_a_computed_name_may_mean_counts() {
    let lib = "WQZ = 777\nOTHER = 1\n";
    let same = |body: &str| {
        let bench = format!("import lib\n\n\ndef bench(x=''):\n    return {body}\n");
        Look::python(&[("bench.py", &bench), ("lib.py", lib)]).ran(&["bench.py bench"]).is_same("lib.py", "777", "9")
    };
    assert!(!same("getattr(lib, 'ZQW'[::-1])"));
    assert!(!same("len(lib.__dict__)"));
    assert!(!same("getattr(__import__('sys').modules['lib'], 'ZQW'[::-1])"));
    // The module is handed to nobody.
    assert!(same("getattr(x, 'ZQW'[::-1], lib.OTHER)"));
}

#[test]
fn a_definition_counts_where_it_stands() {
    let text = "def f():\n    return 1\n\n\nimport other\n\n\ndef g():\n    return 2\n";
    let look = Look::python(&[("bench.py", text), ("other.py", "x = 1\n")]).ran(&["bench.py g"]);
    let moved = "import other\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n";
    assert!(!look.is_same("bench.py", text, moved));
    let class = "class A:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n";
    let turned = "class A:\n    def b(self):\n        return 2\n\n    def a(self):\n        return 1\n";
    let ran = |bench: &str| {
        Look::python(&[("bench.py", bench), ("lib.py", class)])
            .ran(&["bench.py bench"])
            .is_same("lib.py", class, turned)
    };
    assert!(ran("import lib\n\n\ndef bench():\n    return lib.A\n"));
    assert!(!ran("import lib\n\n\ndef bench():\n    return dir(lib.A)\n"));
}
