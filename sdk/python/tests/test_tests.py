"""Tests of pytest-benchmark, unchanged: with pytest, and with what stands in for it where there is none."""

import importlib.util
import os
import unittest

from session import HERE, Session, Sources

FORMS = os.path.join(HERE, "pytest_suite", "test_forms.py")
PEDANTIC = os.path.join(HERE, "pytest_suite", "test_pedantic.py")
WRONG = os.path.join(HERE, "wrong_tests", "test_wrong.py")

# A module that can't be imported hides one that is installed.
HIDING = 'raise ImportError("hidden")\n'


class Forms:
    """What holds with and without pytest."""

    def session(self):
        raise NotImplementedError

    def measured(self, file, name):
        with self.session() as session:
            session.load(file)
            self.assertEqual(session.notices, [])
            ready = session.prepare(name)
            self.assertEqual(ready["frame"], "ready", ready)
            for subject in ("case", "null", "pause", "case"):
                reply = session.run(subject, 1, 1, warm=1)
                self.assertEqual(reply["frame"], "samples", reply)
                self.assertEqual(len(reply["elapsed"]), 2)
            finished = session.send("finish")
            self.assertEqual(finished["frame"], "finished", finished)
            self.assertEqual(session.send("finish")["kind"], "bad-request")
            self.assertEqual(session.close(), 0)
            return finished

    def test_every_test_of_the_suite_can_be_measured_and_passes(self):
        for file in (FORMS, PEDANTIC):
            with self.session() as session:
                cases = session.load(file)
                names = list({case["benchmark"]: name for name, case in cases.items() if "skip" not in case}.values())
            self.assertGreater(len(names), 3)
            for name in names:
                with self.subTest(name):
                    self.measured(file, name)

    def test_the_enumeration_is_that_of_pytest(self):
        with self.session() as session:
            names = list(session.load(FORMS))
        self.assertEqual(names[6:10], ["test_stacked#a-1", "test_stacked#a-10", "test_stacked#b-1", "test_stacked#b-10"])
        self.assertEqual(names[10:12], ["test_pairs#x-1", "test_pairs#two"])
        values = ["None", "1.5", "True", "b", "value4", "len", "x0", "x1"]
        self.assertEqual(names[12:20], ["test_identifiers#" + value for value in values])
        self.assertIn("test_fixture_with_parameters#tuple", names)
        self.assertIn("TestClass::test_parameters#2", names)
        self.assertNotIn("test_not_a_benchmark", names)

    def test_ids_are_those_of_pytest_and_stay_apart(self):
        text = (
            "import enum, re, pytest\nclass E(enum.Enum):\n    A = 1\n"
            "VALUES = ['☃', 'a\\nb', 'x' * 100, 'x' * 101, b'\\xff\\n', None, 1, 1.5, re.compile('é'), E.A, [1], 'a', 'a', 'a0', 'é', b'1', '1']\n"
            "@pytest.mark.parametrize('v', VALUES)\ndef test_values(benchmark, v): benchmark(len, '')\n"
            "LONG = ['deeply/nested/' * 20 + end for end in 'ab']\n"
            "@pytest.mark.parametrize('v', [1, 2], ids=LONG)\ndef test_long(benchmark, v): benchmark(len, '')\n"
            "@pytest.mark.parametrize('v', [pytest.param(1, id='☃')])\ndef test_named(benchmark, v): benchmark(len, '')\n"
            "@pytest.fixture(params=['☃', 'n'], ids=['☃', None])\ndef made(request): return request.param\n"
            "def test_made(benchmark, made): benchmark(len, '')\n"
        )
        with Sources(test_ids=text) as sources, self.session() as session:
            names = list(session.load(sources.path("test_ids.py")))
            self.assertEqual(session.notices, [])
        values = [
            r"\u2603", r"a\nb", "x" * 100, "v3", r"\xff\n", "None", "1_0", "1.5", r"\xe9_0", "E.A", "v10", "a1", "a2", "a0", r"\xe9_1",
            "1_1", "1_2",
        ]
        self.assertEqual(names[:17], ["test_values#" + value for value in values])
        self.assertEqual(len(set(names)), len(names))
        long = "deeply/nested/" * 20
        self.assertEqual(names[17:19], ["test_long#" + long[:199] + "…" + digest for digest in ("3060bf86e9d5e174", "3060c286e9d5e68d")])
        self.assertEqual(names[19:], [r"test_named#\u2603", r"test_made#\u2603", "test_made#n"])

    def test_marks_are_told(self):
        with self.session() as session:
            cases = session.load(FORMS)
        self.assertEqual(cases["test_group"]["groups"], ["sorting"])
        self.assertEqual(cases["test_skipped"]["skip"], "not today")
        self.assertEqual(cases["test_skipped_on_condition"]["skip"], "never here")
        self.assertEqual((cases["test_pairs#two"]["names"], cases["test_pairs#two"]["values"]), (["text", "length"], ["'yy'", "2"]))

    def test_extra_information_becomes_metrics_and_labels(self):
        finished = self.measured(FORMS, "test_group")
        self.assertEqual((finished["metrics"], finished["labels"][0]), (["elements=3"], "order=reverse"))

    def test_conditions_of_an_inherited_test_are_those_of_its_module(self):
        base = (
            "import pytest\nHERE = 'here'\nclass Base:\n"
            "    @pytest.mark.skipif(\"HERE == 'here'\", reason='not here')\n    def test_skips(self, benchmark): pass\n"
            "    @pytest.mark.skipif(\"HERE != 'here'\", reason='elsewhere')\n    def test_runs(self, benchmark): benchmark(len, '')\n"
            "    @pytest.mark.xfail(\"HERE == 'here'\", reason='as expected')\n    def test_fails(self, benchmark): assert False\n"
        )
        with Sources(base_of_tests=base, test_x="from base_of_tests import Base\nclass TestX(Base): pass\n") as sources:
            with self.session() as session:
                cases = session.load(sources.path("test_x.py"))
                self.assertEqual({name: case.get("skip") for name, case in cases.items()},
                    {"TestX::test_skips": "not here", "TestX::test_runs": None, "TestX::test_fails": None})
                self.assertEqual(session.prepare("TestX::test_runs")["frame"], "ready")
                self.assertEqual(session.run("case", 1)["frame"], "samples")
            with self.session() as session:
                session.load(sources.path("test_x.py"))
                fault = session.prepare("TestX::test_fails")
                self.assertEqual((fault["kind"], fault["message"]), ("skipped", "expected to fail: as expected"))

    def test_a_marked_test_is_a_benchmark_as_a_whole(self):
        marked = (
            "import pytest\n"
            "pytestmark = pytest.mark.benchmark\n"
            "@pytest.fixture\ndef words(): return ['a', 'b']\n"
            "def test_joined(words): assert '-'.join(words) == 'a-b'\n"
            "@pytest.mark.parametrize('n', [1, 2])\ndef test_sized(n): list(range(n))\n"
            "async def test_awaited(): pass\n"
            "class TestIn:\n    def test_method(self, words): len(words)\n"
            "def test_with_the_fixture(benchmark): benchmark(len, '')\n"
        )
        single = "import pytest\n@pytest.mark.benchmark(group='g')\ndef test_one(): pass\ndef test_no_benchmark(): assert False\n"
        with Sources(test_marked=marked, test_single=single) as sources:
            with self.session() as session:
                cases = session.load(sources.path("test_single.py"))
                self.assertEqual({name: case["groups"] for name, case in cases.items()}, {"test_one": ["g"]})
            path = sources.path("test_marked.py")
            with self.session() as session:
                names = list(session.load(path))
            self.assertEqual(
                names,
                ["test_joined", "test_sized#1", "test_sized#2", "test_awaited", "TestIn::test_method", "test_with_the_fixture"],
            )
            for name in ("test_joined", "test_awaited", "TestIn::test_method", "test_with_the_fixture"):
                with self.subTest(name):
                    self.measured(path, name)

    def test_a_mark_may_leave_the_collector_off(self):
        marks = {"test_default": "", "test_off": "@pytest.mark.benchmark(disable_gc=True)\n", "test_on": "@pytest.mark.benchmark(disable_gc=False)\n"}
        text = "import pytest\n" + "".join("%sdef %s(benchmark): benchmark(len, '')\n" % (mark, name) for name, mark in marks.items())
        with Sources(test_x=text) as sources:
            for name in marks:
                expected = ["garbage collector off"] if name == "test_off" else None
                self.assertEqual(self.measured(sources.path("test_x.py"), name).get("labels"), expected, name)

    def test_what_is_expected_to_fail_may_fail_in_a_sample(self):
        text = (
            "import pytest\n"
            "@pytest.mark.xfail(reason='not mended yet')\ndef test_any(benchmark): benchmark(lambda: 1 / 0)\n"
            "@pytest.mark.xfail(raises=ZeroDivisionError)\n@pytest.mark.benchmark\ndef test_whole(): 1 / 0\n"
            "@pytest.mark.xfail(raises=OSError)\ndef test_other(benchmark): benchmark(lambda: 1 / 0)\n"
        )
        with Sources(test_expected=text) as sources:
            for name, kind, message in (
                ("test_any", "skipped", "expected to fail: not mended yet"),
                ("test_whole", "skipped", "expected to fail: division by zero"),
                ("test_other", "exception", "ZeroDivisionError: division by zero"),
            ):
                with self.subTest(name), self.session() as session:
                    session.load(sources.path("test_expected.py"))
                    self.assertEqual(session.prepare(name)["frame"], "ready")
                    fault = session.run("case", 1)
                    self.assertEqual((fault["frame"], fault["kind"], fault["message"]), ("fault", kind, message))

    def test_the_class_of_the_fixture_is_no_benchmark(self):
        text = (
            "import warnings\nwarnings.simplefilter('error')\n"
            "class BenchmarkFixture:\n    def __init__(self): pass\n"
            "def test_plain(benchmark: BenchmarkFixture): benchmark(len, 'abc')\n"
        )
        with Sources(test_typed=text) as sources:
            self.measured(sources.path("test_typed.py"), "test_plain")

    def test_an_async_test_is_run_to_its_end(self):
        text = "async def test_plain(benchmark):\n    benchmark(len, 'abc')\n"
        with Sources(test_async=text) as sources:
            self.measured(sources.path("test_async.py"), "test_plain")

    def test_what_an_async_test_awaits_is_measured_on_its_loop(self):
        text = (
            "import asyncio\n"
            "async def test_within(benchmark):\n"
            "    loop, task = asyncio.get_running_loop(), asyncio.current_task()\n"
            "    ready = loop.create_future()\n"
            "    loop.call_later(0.01, ready.set_result, 'ready')\n"
            "    seen = []\n"
            "    async def work(n):\n"
            "        assert asyncio.get_running_loop() is loop\n"
            "        seen.append(await ready)\n"
            "        await asyncio.sleep(0)\n"
            "        return n\n"
            "    assert await benchmark(work, 5) == 5\n"
            "    assert asyncio.current_task() is task and len(seen) > 5\n"
            "async def test_fails(benchmark):\n"
            "    async def work(): raise KeyError('gone')\n"
            "    await benchmark(work)\n"
        )
        with Sources(test_async=text) as sources:
            self.measured(sources.path("test_async.py"), "test_within")
            with self.session() as session:
                session.load(sources.path("test_async.py"))
                self.assertEqual(session.prepare("test_fails")["frame"], "ready")
                self.assertEqual(session.run("case", 1)["message"], "KeyError: 'gone'")

    def test_a_call_that_can_be_made_once_is_told_of_setup(self):
        text = (
            "def test_once(benchmark):\n    left = [1]\n    benchmark.pedantic(left.pop, rounds=1)\n"
            "def test_set_up(benchmark):\n    left = []\n"
            "    benchmark.pedantic(left.pop, setup=lambda: left.append(1), rounds=1)\n    left.append(1)\n"
        )
        with Sources(test_once=text) as sources:
            with self.session() as session:
                session.load(sources.path("test_once.py"))
                self.assertEqual(session.prepare("test_once")["frame"], "ready")
                fault = session.run("case", 1, 1)
                self.assertEqual(fault["message"], "IndexError: pop from empty list")
                self.assertIn("`setup=`", fault["remedy"])
            with self.session() as session:
                session.load(sources.path("test_once.py"))
                self.assertEqual(session.prepare("test_set_up")["frame"], "ready")
                self.assertEqual(session.run("case", 1, 1)["frame"], "samples")

    def test_the_calls_of_pedantic_bind(self):
        with self.session() as session:
            cases = session.load(PEDANTIC)
        calls = {name: case.get("iterations") for name, case in cases.items()}
        self.assertEqual(calls["test_arguments"], 5)
        self.assertEqual(calls["test_setup_with_arguments"], 1)
        self.assertEqual((calls["test_iterations#2"], calls["test_iterations#3"]), (2, 3))

    def test_a_setup_is_for_one_call(self):
        with self.session() as session:
            session.load(PEDANTIC)
            session.prepare("test_setup_with_arguments")
            fault = session.run("case", 2)
            self.assertEqual((fault["frame"], fault["kind"]), ("fault", "exception"))
            self.assertIn("2 were asked for", fault["message"])
            self.assertEqual(session.run("case", 1, 0)["frame"], "samples")

    def wrong(self, name, where):
        with self.session() as session:
            session.load(WRONG)
            reply = session.prepare(name)
            if where != "prepare":
                self.assertEqual(reply["frame"], "ready", reply)
                reply = session.run("case", 1)
                if where != "run":
                    self.assertEqual(reply["frame"], "samples", reply)
                    reply = session.send("finish")
            self.assertEqual(reply["frame"], "fault", reply)
            self.assertEqual(os.path.realpath(reply["file"]), WRONG)
            return reply

    def test_failures_have_their_place_and_reason(self):
        with open(WRONG, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for name, where, kind, message, line in (
            ("test_assertion", "finish", "exception", "AssertionError", "    assert benchmark(len, \"abc\") == 4"),
            ("test_subject", "run", "exception", "ValueError: boom", "    raise ValueError(\"boom\")"),
            ("test_before", "prepare", "load", "ValueError: boom", "    raise ValueError(\"boom\")"),
            ("test_fixture", "prepare", "load", "OSError: no such device", "    raise OSError(\"no such device\")"),
            ("test_unknown_fixture", "prepare", "load", "There is no fixture `unheard_of`", "def test_unknown_fixture(benchmark, unheard_of):"),
            ("test_twice", "finish", "exception", "Fixture can only be used once", None),
            ("test_unused", "prepare", "load", "doesn't call its fixture", "def test_unused(benchmark):"),
            ("test_weave", "prepare", "load", "benchmark.weave and benchmark.patch can't be measured", "    benchmark.weave(\"os.getpid\")"),
            ("test_stats", "finish", "exception", "AssertionError", "    assert benchmark.stats[\"mean\"] < 0"),
            ("test_skips_itself", "prepare", "skipped", "only on Sundays", None),
            ("test_expects_to_fail", "prepare", "skipped", "expected to fail: not mended yet", None),
            ("test_is_marked_as_failing", "prepare", "skipped", "expected to fail: number 12", None),
            ("test_is_expected_to_fail_elsewhere", "prepare", "load", "ValueError: boom", "    raise ValueError(\"boom elsewhere\")"),
            ("test_is_expected_to_fail_here", "prepare", "skipped", "expected to fail: number 14", None),
            ("test_is_expected_to_fail_elsewhere_in_words", "prepare", "load", "ValueError: boom", "    raise ValueError(\"boom in words\")"),
            ("test_is_expected_to_fail_here_in_words", "prepare", "skipped", "expected to fail: condition: sys.platform != 'elsewhere'", None),
            ("test_raises_another", "prepare", "load", "ValueError: boom", "    raise ValueError(\"boom another\")"),
            ("test_fails_of_its_own_will", "prepare", "load", "of its own will", "    pytest.fail(\"of its own will\")"),
            ("test_raises_one_of_two", "prepare", "skipped", "expected to fail: number 18", None),
            ("test_is_not_run", "prepare", "skipped", "expected to fail: [NOTRUN] number 19", None),
            ("test_is_not_run_elsewhere", "prepare", "load", "ValueError: boom", "    raise ValueError(\"boom here\")"),
            ("test_has_no_reason", "prepare", "skipped", "expected to fail: ", None),
            ("test_is_expected_to_fail_and_weaves", "prepare", "load", "benchmark.weave and benchmark.patch can't be measured", "    benchmark.weave(\"os.sep\")"),
            ("test_skips_on_what_is_unknown", "prepare", "load", "NameError: name 'nowhere' is not defined", None),
            ("test_skips_on_no_expression", "prepare", "load", "SyntaxError", None),
            ("test_is_expected_to_fail_on_what_is_unknown", "prepare", "load", "NameError: name 'nowhere' is not defined", None),
            ("test_passes_against_all_expectations", "finish", "exception", "`xfail(strict=True)` says that it fails: number 25", None),
            ("test_fails_as_strictly_expected", "finish", "skipped", "expected to fail: ", None),
            ("test_setup_and_arguments", "run", "exception", "Can't use `args` or `kwargs`", "def test_setup_and_arguments(benchmark):"),
            ("test_exit", "prepare", "exit", "SystemExit: 3", "    raise SystemExit(3)"),
        ):
            with self.subTest(name):
                fault = self.wrong(name, where)
                self.assertEqual(fault["kind"], kind, fault)
                self.assertIn(message, fault["message"])
                if line is not None:
                    self.assertEqual(lines[fault["line"] - 1], line)

    def test_what_can_not_be_imported_is_told_and_the_rest_is_measured(self):
        with Sources(
            test_a="import benchmark_that_is_missing\ndef test_x(benchmark): pass\n",
            test_b="def test_y(benchmark):\n    benchmark(len, '')\n",
            test_c="def test_z(benchmark:\n",
            bench_d="def bench_d():\n    pass\n",
        ) as sources, self.session() as session:
            names = list(session.load(*[sources.path("%s.py" % name) for name in ("test_a", "test_b", "test_c", "bench_d")]))
            self.assertEqual(names, ["test_y", "bench_d"])
            told = {os.path.basename(notice["file"]): notice for notice in session.notices}
            self.assertEqual(told["test_a.py"]["kind"], "load")
            self.assertIn("No module named 'benchmark_that_is_missing'", told["test_a.py"]["message"])
            self.assertEqual(told["test_a.py"]["line"], 1)
            self.assertEqual((told["test_c.py"]["kind"], told["test_c.py"]["line"]), ("syntax", 1))
            self.assertEqual(session.prepare("bench_d")["frame"], "ready")
            self.assertEqual(session.run("case", 3)["frame"], "samples")

    def test_a_file_may_hold_tests_and_benchmarks(self):
        text = "def test_y(benchmark):\n    benchmark(len, '')\n\ndef bench_n():\n    pass\n\ndef bench_t(benchmark):\n    benchmark(len, '')\n"
        with Sources(bench_both=text) as sources, self.session() as session:
            names = list(session.load(sources.path("bench_both.py")))
            self.assertEqual(sorted(names), ["bench_n", "bench_t", "test_y"])

    def test_a_coroutine_function_is_awaited(self):
        text = "async def work():\n    return 5\n\ndef test_y(benchmark):\n    assert benchmark(work) == 5\n"
        with Sources(test_async=text) as sources:
            self.measured(sources.path("test_async.py"), "test_y")

    def test_printing_stays_off_the_wire(self):
        text = "print('loading')\ndef test_y(benchmark):\n    print('before')\n    benchmark(len, '')\n"
        with Sources(test_prints=text) as sources, self.session() as session:
            session.load(sources.path("test_prints.py"))
            session.prepare("test_y")
            session.run("case", 1)
            session.close()
            self.assertEqual(session.output.splitlines(), ["loading", "before"])


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest isn't installed for this Python")
class WithPytest(Forms, unittest.TestCase):
    def session(self):
        return Session()

    def test_options_and_plugins_of_a_project_do_not_disturb(self):
        with Sources(test_x="def test_y(benchmark):\n    benchmark(len, '')\n") as sources:
            sources.write("pytest.ini", "[pytest]\naddopts = --benchmark-json=x --benchmark-only --strict-markers -v --ff --benchmark-disable\n")
            sources.write("conftest.py", "def pytest_benchmark_update_machine_info(config, machine_info): pass\n")
            self.measured(sources.path("test_x.py"), "test_y")
            self.assertNotIn("x", os.listdir(sources.folder))

    def test_what_pytest_kept_of_the_last_run_chooses_no_tests(self):
        text = "def test_y(benchmark):\n    benchmark(len, '')\ndef test_z(benchmark):\n    benchmark(len, '')\n"
        with Sources(test_x=text) as sources:
            sources.write("pytest.ini", "[pytest]\naddopts = --lf\n")
            sources.write(".pytest_cache/v/cache/lastfailed", '{"test_x.py::test_z": true}')
            self.measured(sources.path("test_x.py"), "test_y")

    def test_the_option_of_pytest_benchmark_leaves_the_collector_off(self):
        text = "import pytest\ndef test_y(benchmark):\n    benchmark(len, '')\n@pytest.mark.benchmark(disable_gc=False)\ndef test_z(benchmark):\n    benchmark(len, '')\n"
        with Sources(test_x=text) as sources:
            sources.write("pytest.ini", "[pytest]\naddopts = --benchmark-disable-gc\n")
            self.assertEqual(self.measured(sources.path("test_x.py"), "test_y").get("labels"), ["garbage collector off"])
            self.assertIsNone(self.measured(sources.path("test_x.py"), "test_z").get("labels"))

    def test_what_lies_beside_the_sources_is_not_collected(self):
        with Sources() as sources:
            sources.write("pytest.ini", "[pytest]\npython_files = *.py\n")
            sources.write("conftest.py", "def pytest_collect_file(file_path):\n    print(file_path)\n")
            for beside in ("README.rst", "beside.py", "tests/other.py", "others/test_z.py"):
                sources.write(beside, "")
            sources.write("tests/__init__.py", "")
            source = sources.write("tests/test_x.py", "def test_y(benchmark):\n    benchmark(len, '')\n")
            with self.session() as session:
                self.assertEqual(list(session.load(source)), ["test_y"])
                session.close()
            for beside in ("README.rst", "beside.py", "other.py", "test_z.py"):
                self.assertNotIn(beside, session.output)
            self.assertIn("test_x.py", session.output)

    def test_a_conftest_that_fails_is_told(self):
        with Sources(test_x="def test_y(benchmark):\n    benchmark(len, '')\n") as sources:
            sources.write("conftest.py", "1 / 0\n")
            with self.session() as session:
                self.assertEqual(session.load(sources.path("test_x.py")), {})
                self.assertEqual(session.notices[0]["level"], "error")
                self.assertIn("ZeroDivisionError", session.notices[0]["message"])


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest isn't installed for this Python")
class WithPytestBeforehand(unittest.TestCase):
    """A process that has loaded pytest before it is asked for tests (PROTOCOL 1.14)."""

    def test_it_finds_the_same_and_measures_it(self):
        found = []
        for environment in ({}, {"TARE_PRELUDE": "1"}):
            with Session(environment=environment) as session:
                found.append(list(session.load(FORMS).values()))
                self.assertEqual(session.notices, [])
                self.assertEqual(session.prepare(session.name(found[-1][0]))["frame"], "ready")
                self.assertEqual(session.run("case", 1)["frame"], "samples")
        self.assertEqual(*found)

    def test_it_is_loaded_before_the_hello_by_who_was_told_that_it_helps(self):
        text = "import sys, tare\ndef bench_a():\n    tare.metric('pytest', int('_pytest.fixtures' in sys.modules))\n"
        with Sources(test_x="def test_y(benchmark): benchmark(len, '')\n", bench_x=text) as sources:
            for environment, expected in (({}, 0), ({"TARE_PRELUDE": "1"}, 1)):
                with Session(environment=environment) as session:
                    self.assertTrue(session.send("load", files=[sources.path("test_x.py")])["prelude"])
                with Session(environment=environment) as session:
                    self.assertNotIn("prelude", session.send("load", files=[sources.path("bench_x.py")]))
                    session.prepare("bench_a")
                    session.run("case", 1)
                    self.assertEqual(session.send("finish")["metrics"], ["pytest=%d" % expected])


class WithoutPytest(Forms, unittest.TestCase):
    def session(self):
        hidden = Sources(pytest=HIDING)
        self.addCleanup(hidden.__exit__)
        return Session(environment={"PYTHONPATH": hidden.folder})

    def test_what_the_stand_in_lacks_is_told(self):
        with Sources(test_x="import pytest\npytest.deprecated_call\ndef test_y(benchmark): pass\n") as sources:
            with self.session() as session:
                self.assertEqual(session.load(sources.path("test_x.py")), {})
                self.assertIn("pytest isn't installed", session.notices[0]["message"])

    def test_classes_that_only_pytest_can_make_are_told(self):
        text = (
            "import unittest\n"
            "class TestCases(unittest.TestCase):\n    def test_x(self, benchmark): benchmark(len, '')\n"
            "class TestService:\n    def __init__(self, path, *, mode): pass\n    def test_y(self, benchmark): benchmark(len, '')\n"
        )
        told = {
            "TestCases::test_x": ("TestCases is a unittest.TestCase, which only pytest can run with fixtures.", "Install pytest"),
            "TestService::test_y": ("The constructor of TestService needs 2 arguments; Tare passes none.", "a fixture"),
        }
        with Sources(test_classes=text) as sources:
            for name, (message, remedy) in told.items():
                with self.session() as session:
                    session.load(sources.path("test_classes.py"))
                    fault = session.prepare(name)
                    self.assertEqual((fault["kind"], fault["message"]), ("load", message))
                    self.assertIn(remedy, fault["remedy"])


if __name__ == "__main__":
    unittest.main()
