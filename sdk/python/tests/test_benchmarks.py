"""bench_* functions: what is enumerated, and what is called when."""

import json
import os
import sys
import unittest

from cases import Case
from session import HERE

sys.path.append(os.path.join(os.path.dirname(HERE), "src"))
from tare_worker.null_subject import null_of  # noqa: E402
from tare_worker.prepared import Prepared, plain_paths  # noqa: E402


class Enumeration(Case):
    def test_functions_methods_and_sets_in_their_order(self):
        session = self.bench(
            "@tare.parameters(a=[1, 2], b=['x', 'y'])\ndef bench_a(a, b): pass\n"
            "def helper(): pass\ndef bench(): pass\n"
            "class BenchB:\n    def bench_m(self): pass\n    def other(self): pass\n"
            "class BenchC(BenchB):\n    def bench_n(self): pass\n"
            "def bench_z(): pass\n"
        )
        sets = ["bench_a#1-x", "bench_a#1-y", "bench_a#2-x", "bench_a#2-y"]
        self.assertEqual(self.names(session), [*sets, "BenchB::bench_m", "BenchC::bench_n", "BenchC::bench_m", "bench_z"])
        self.assertEqual((session.cases[1]["names"], session.cases[1]["values"]), (["a", "b"], ["1", "'y'"]))

    def test_named_sets_providers_and_products(self):
        session = self.bench(
            "def sets():\n    yield 'p', {'n': 1}\n    yield 'q', {'n': 2}\n"
            "@tare.parameters({'one': {'m': 1}})\n@tare.parameters(sets)\ndef bench_a(m, n): pass\n"
            "@tare.parameters(v=[[1], object, None, 'a\\nb', 'c' * 300, 1, '1'])\ndef bench_b(v): pass\n"
        )
        self.assertEqual(self.names(session)[:2], ["bench_a#one-p", "bench_a#one-q"])
        names = ["v0", "object", "None", "a\\nb", "c" * 59 + "…12796811dfcd1581"]
        self.assertEqual(self.names(session)[2:7], ["bench_b#" + name for name in names])
        self.assertRegex(" ".join(self.names(session)[7:]), "^bench_b#1#[0-9a-f]{16} bench_b#1#[0-9a-f]{16}$")
        self.assertEqual(len(set(self.names(session))), 9)
        self.assertTrue(all(len(case["values"][0]) <= 60 for case in session.cases))

    def test_names_of_sets_dont_depend_on_the_order(self):
        def named(values):
            return self.names(self.bench("@tare.parameters(v=%r)\ndef bench_a(v): pass\n" % (values,)))

        values = ["deeply/nested/" * 20 + "a", "deeply/nested/" * 20 + "b", 1, "1", b"1", "\udc80", "\\udc80", "☃"]
        found = named(values)
        self.assertEqual(len(set(found)), len(values))
        self.assertEqual(named(values[::-1]), found[::-1])
        self.assertEqual(found[-1], "bench_a#☃")

    def test_sets_that_nothing_tells_apart_are_refused(self):
        session = self.bench("@tare.parameters(v=[1, 2, 1])\ndef bench_a(v): pass\n")
        notice = session.notices[0]
        self.assertEqual(notice["message"], 'Two parameter sets are named "1", and nothing in them tells them apart.')
        self.assertEqual((notice["remedy"], self.names(session)), ("Give each set a name of its own.", []))

    def test_settings(self):
        session = self.bench(
            "@tare.base\n@tare.groups('g', 'h')\n@tare.iterations(0)\n@tare.samples(7)\n@tare.timeout(1.5)\n@tare.unit('microseconds')\n"
            "def bench_a(): pass\n@tare.skip('too slow')\n@tare.parameters(lambda: 1 / 0)\ndef bench_b(x): pass\n"
        )
        first, second = session.cases
        wanted = {"base": True, "groups": ["g", "h"], "iterations": 0, "samples": 7, "timeout_ms": 1500, "unit": "microseconds"}
        self.assertEqual({key: first.get(key) for key in wanted}, wanted)
        self.assertEqual((second["skip"], session.notices), ("too slow", []))

    def test_parentheses_may_be_left_out_where_there_is_nothing_in_them(self):
        for parentheses in ("", "()"):
            marks = "".join("@tare.%s%s\n" % (name, parentheses) for name in ("base", "pauses", "collects"))
            session = self.bench("import gc\ngc.disable()\n%sdef bench_a(): pass\n" % marks)
            self.assertEqual((session.cases[0].get("base"), session.notices), (True, []))
            self.assertTrue(session.prepare("bench_a")["pauses"])
            self.assertIsNone(session.send("finish").get("labels"))

    def test_an_argument_that_is_left_out_is_told(self):
        for name in ("parameters", "setup", "teardown", "before", "after", "groups", "iterations", "samples", "timeout", "unit", "skip", "processes"):
            for text in ("@tare.%s\ndef bench_a(): pass\n", "class BenchA:\n    @tare.%s\n    def bench_a(self): pass\n"):
                session = self.bench(text % name)
                self.assertEqual([], session.cases, name)
                self.assertRegex(session.notices[0]["message"], "%s (wants|takes)" % name)
        session = self.bench("@tare.before\n@tare.operation\ndef get(): pass\n")
        self.assertIn("before takes an argument: @tare.before(function)", session.notices[0]["message"])

    def test_wrong_declarations_are_told_where_they_stand(self):
        for line, kind, message in (
            ("@tare.unit('hours')", "load", "unit wants one of"),
            ("@tare.parameters(x='abc')", "load", "wants a list of values"),
            ("@tare.parameters(x=[])", "provider", "There is no parameter set"),
            ("@tare.parameters(y=[1])", "provider", "bench_a() takes x, which nothing provides"),
            ("@tare.parameters(x=[1], y=[1])", "provider", "bench_a() doesn't take the parameter y"),
            ("@tare.parameters(lambda: 1 / 0)", "provider", "ZeroDivisionError"),
            ("@tare.parameters(lambda: [1])", "provider", "A parameter set is int"),
            ("@tare.iterations(-1)", "load", "iterations wants an integer"),
            ("@tare.collects('off')", "load", "collects wants True or False"),
        ):
            with self.subTest(line):
                session = self.bench("\n" + line + "\ndef bench_a(x): pass\ndef bench_b(): pass\n")
                notice = session.notices[0]
                self.assertEqual((notice["level"], notice["kind"], notice["line"]), ("error", kind, 3), notice)
                self.assertIn(message, notice["message"])
                self.assertEqual(self.names(session), ["bench_b"] if kind == "provider" else [])

    def test_sources_that_can_not_be_loaded(self):
        sources = self.sources(
            bench_a="def bench_a(:\n", bench_b="\n1 / 0\n", bench_c="import sys\nsys.exit(4)\n", bench_d="", bench_e="def bench_e(): pass\n"
        )
        sources.write("bench_f.py", b"def bench_f(): return '\xff'\n")
        sources.write("bench_g.py", b"\0")
        session = self.session(*(sources.path("bench_%s.py" % name) for name in "abcdefgh"))
        self.assertEqual(self.names(session), ["bench_e"])
        told = {os.path.basename(notice["file"]): notice for notice in session.notices}
        kinds = {name[6]: (notice["level"], notice["kind"], notice.get("line")) for name, notice in told.items()}
        self.assertEqual(kinds["a"], ("error", "syntax", 1))
        self.assertEqual(kinds["b"], ("error", "load", 2))
        self.assertEqual(kinds["c"], ("error", "exit", 2))
        self.assertEqual(kinds["d"][0], "warning")
        self.assertEqual(kinds["f"][:2], ("error", "syntax"))
        self.assertEqual(kinds["g"][0], "error")
        self.assertEqual(kinds["h"][:2], ("error", "load"))

    def test_imports_are_those_of_a_file_run_by_hand(self):
        sources = self.sources(bench_a="import neighbour, json\ndef bench_a(): return neighbour.VALUE\n", neighbour="VALUE = 1\n")
        sources.write("package/__init__.py", "")
        sources.write("package/part.py", "VALUE = 2\n")
        sources.write("package/bench_p.py", "from . import part\ndef bench_p(): return part.VALUE\n")
        sources.write("package/json.py", "def bench_j(): pass\n")
        session = self.session(*(sources.path(name) for name in ("bench_a.py", "package/bench_p.py", "package/json.py")))
        self.assertEqual((self.names(session), session.notices), (["bench_a", "bench_p", "bench_j"], []))

    def test_a_module_tare_of_the_user_is_found(self):
        sources = self.sources(bench_a="import tare\nassert tare.OWN\ndef bench_a(): pass\n", tare="OWN = True\n")
        session = self.session(sources.path("bench_a.py"))
        self.assertEqual((self.names(session), session.notices), (["bench_a"], []))
        session.prepare("bench_a")
        self.assertEqual(session.run("pause", 2)["pauses"], [2])

    def test_nothing_of_the_worker_is_in_the_way(self):
        text = "import sys\nassert not any(p.endswith('sdk/python') for p in sys.path)\ntry:\n    import session\nexcept ImportError:\n    pass\n"
        session = self.bench(text + "def bench_a(): pass\n")
        self.assertEqual(session.notices, [])

    def test_a_generator_is_told(self):
        session = self.bench("def bench_a():\n    yield 1\n")
        self.assertIn("is a generator", session.notices[0]["message"])

    def test_hostile_values_are_shown(self):
        session = self.bench(
            "class Bad:\n    def __repr__(self): raise SystemExit(1)\n"
            "@tare.parameters(v=[Bad(), '\\ud800', '\\x1b[2J', 10 ** 5000, list(range(10 ** 6)), {'a': Bad()}])\ndef bench_a(v): pass\n"
        )
        self.assertEqual(session.notices, [])
        self.assertEqual(session.cases[0]["values"], ["Bad"])
        self.assertNotIn("\x1b", json.dumps(session.cases, ensure_ascii=False))


class Measuring(Case):
    def test_calls_are_counted_as_asked(self):
        session = self.bench("calls = 0\ndef bench_a():\n    global calls\n    calls += 1\n    tare.metric('calls', calls)\n")
        self.assertEqual(session.prepare("bench_a"), {"frame": "ready", "id": 2, "pauses": False, "hooks": False})
        # Two warm samples, 3 and 5 calls; then 3, 5 and a bare one.
        reply = session.run("case", 3, 5, 0, warm=2)
        self.assertEqual(len(reply["elapsed"]), 3)
        for subject in ("null", "pause", "clock", "kernel/arithmetic"):
            self.assertEqual(len(session.run(subject, 4, 0, warm=1)["elapsed"]), 2)
        self.assertEqual(session.send("finish")["metrics"], ["calls=17"])

    def test_hooks_in_their_order_with_the_arguments_that_they_name(self):
        session = self.bench(
            "def before(n): print('before', n)\ndef after(): print('after')\n"
            "def setup(n, unit='u'): print('setup', n); return {'data': [n]}\n"
            "def teardown(data): print('teardown', len(data))\n"
            "@tare.before(before)\n@tare.after(after)\n@tare.setup(setup)\n@tare.teardown(teardown)\n@tare.parameters(n=[7])\n"
            "def bench_a(data): print('call'); data.append(1)\n"
        )
        self.assertIs(session.prepare("bench_a#7")["hooks"], True)
        session.run("case", 2)
        session.run("null", 2)
        session.run("kernel/text", 2)
        session.send("finish")
        once = ["setup", "7"]
        self.assertEqual(
            self.log(session),
            ["before", "7", *once, "call", "call", "teardown", "3", *once, "teardown", "1", "after"],
        )

    def test_every_signature_has_a_null(self):
        session = self.bench(
            "@tare.parameters(a=[1], b=[2], c=[3])\ndef bench_a(a, /, b, *rest, c, d=4, **more): assert (a, b, c) == (1, 2, 3)\n"
            "@tare.parameters(a=[1])\ndef bench_b(*, a=None): assert a == 1\n"
            "@tare.parameters({'s': {'class': 1}})\ndef bench_c(**more): pass\n"
            "from functools import partial\ndef add(a, b): return a + b\nbench_d = partial(add, 1, b=2)\n"
            "class Call:\n    def __call__(self): pass\nbench_e = Call()\n"
        )
        count = len(session.cases)
        self.assertEqual((count, session.notices), (5, []))
        for number in range(count):
            other = self.session(session.cases[number]["file"])
            name = self.names(other)[number]
            reply = other.prepare(name)
            if name.startswith("bench_c"):
                self.assert_fault(reply, "load", "can't be written")
                continue
            self.assertEqual(reply["frame"], "ready", reply)
            for subject in ("case", "null", "pause"):
                self.assertEqual(other.run(subject, 2, 0)["frame"], "samples")

    def test_pauses_are_seen_counted_and_checked(self):
        session = self.bench(
            "def inner():\n    tare.pause()\n    tare.resume()\ndef bench_a(): inner(); inner()\n"
        )
        self.assertTrue(session.prepare("bench_a")["pauses"])
        self.assertEqual(session.run("case", 3, 1)["pauses"], [6, 2])
        self.assertEqual(session.run("pause", 3, 0)["pauses"], [3, 1])
        self.assertNotIn("pauses", session.run("null", 3))
        for text, message in (
            ("def bench_a():\n    tare.pause()\n", "already"),
            ("def bench_a():\n    tare.pause() if not hasattr(tare, 'x') else 0\n    tare.x = 1\n", "ended while"),
            ("def bench_a():\n    tare.resume()\n", "isn't paused"),
        ):
            session = self.bench(text)
            session.prepare("bench_a")
            self.assert_fault(session.run("case", 2), "exception", message)
            self.assertEqual(session.run("null", 2)["frame"], "samples")

    def test_a_pause_elsewhere_wants_a_mark(self):
        hidden = "class Hidden:\n    def __getattr__(self, name):\n        return getattr(tare, name[::-1])\nh = Hidden()\n"
        body = "def bench_a():\n    getattr(h, 'esuap')()\n    h.emuser()\n"
        session = self.bench(hidden + body)
        self.assertFalse(session.prepare("bench_a")["pauses"])
        self.assert_fault(session.run("case", 1), "exception", "paused the time")
        session = self.bench(hidden + "@tare.pauses\n" + body)
        self.assertTrue(session.prepare("bench_a")["pauses"])
        self.assertEqual(session.run("case", 2)["pauses"], [2])

    def test_coroutines_share_an_event_loop(self):
        session = self.bench(
            "import asyncio\nloops = set()\n"
            "async def setup():\n    loops.add(id(asyncio.get_running_loop()))\n"
            "@tare.setup(setup)\nasync def bench_a():\n    loops.add(id(asyncio.get_running_loop()))\n    await asyncio.sleep(0)\n"
            "    tare.metric('loops', len(loops))\n"
            "class BenchB:\n    async def bench_m(self): pass\n"
        )
        session.prepare("bench_a")
        for subject in ("case", "null", "pause"):
            self.assertEqual(len(session.run(subject, 3, 0, warm=1)["elapsed"]), 2)
        self.assertEqual(session.send("finish")["metrics"], ["loops=1"])

    def test_every_clock(self):
        for clock in self.session().hello["clocks"]:
            session = self.bench("def bench_a(): tare.pause(); tare.resume()\n")
            self.assertEqual(session.prepare("bench_a", clock=clock)["frame"], "ready")
            for subject in ("case", "clock", "pause", "kernel/text"):
                elapsed = session.run(subject, 5, 5)["elapsed"]
                self.assertTrue(all(value >= 0 for value in elapsed), elapsed)
        session = self.bench("def bench_a(): pass\n")
        self.assert_fault(session.prepare("bench_a", clock="sundial"), "bad-request", "sundial")
        self.assertEqual(session.prepare("bench_a")["frame"], "ready")

    def test_what_a_call_processes(self):
        session = self.bench("@tare.processes(bytes=lambda n: 2 * n, items=3)\n@tare.parameters(n=[5])\ndef bench_a(n): pass\n")
        session.prepare("bench_a#5")
        session.run("case", 1)
        finished = session.send("finish")
        self.assertEqual((finished["bytes"], finished["items"]), (10, 3))

    @unittest.skipIf(sys.version_info < (3, 11), "before 3.11 nothing is specialised")
    def test_the_null_is_called_by_the_same_instructions(self):
        import dis
        import time

        def plain():
            pass

        def defaults(a, b=2, c=3):
            pass

        def named(a, *, b=2):
            pass

        def spread(*rest, **more):
            pass

        class Bound:
            def method(self, a, b=1):
                pass

        async def awaited(a=1):
            pass

        def run(coroutine):
            try:
                coroutine.send(None)
            except StopIteration as stopped:
                return stopped.value

        for subject, args, kwargs in (
            (plain, (), {}),
            (defaults, (1, 2, 3), {}),
            (defaults, (1,), {}),
            (named, (1,), {"b": 3}),
            (spread, (1, 2), {"c": 3}),
            (Bound().method, (1,), {}),
            (awaited, (), {}),
        ):
            with self.subTest(getattr(subject, "__name__", ""), args=args):
                paths = Prepared(subject, time.perf_counter_ns, args, kwargs, run=run if subject is awaited else None).paths
                seen = {}
                for name in ("case", "null"):
                    # As often as a call must be seen before it is specialised, and more.
                    for _ in range(20):
                        paths[name].loop(100)
                    seen[name] = [step.opname for step in dis.get_instructions(paths[name]._loop, adaptive=True)]
                self.assertEqual(seen["case"], seen["null"])

    def test_what_c_calls_has_a_null_in_c(self):
        import enum
        import time
        from functools import lru_cache, partial
        from operator import itemgetter
        from types import BuiltinFunctionType

        class Meta(type):
            def __call__(cls, *args):
                return None

        first, cached = itemgetter(0), lru_cache(lambda a, b=1: a)
        for subject, args, kwargs in (
            (first, ([1],), {}),
            (cached, (1,), {}),
            (cached, (1,), {"b": 2}),
            (sorted, ([2, 1],), {"key": abs, "reverse": True}),
            (dict, (), {"a": 1}),
            (partial(sorted, key=abs), ([1],), {}),
            (partial(sorted, [1]), (), {"key": abs}),
            (partial(max, 1, 2), (3,), {}),
        ):
            with self.subTest(str(subject), kwargs=kwargs):
                null, most = null_of(subject, args, kwargs)
                null = null.func if isinstance(null, partial) else null
                self.assertIsInstance(null, BuiltinFunctionType)
                self.assertIsNotNone(most)
                path = Prepared(subject, time.perf_counter_ns, args, kwargs).paths["null"]
                path.loop(3)
                path.bind(args, kwargs)
                path.loop(0)
        # Called through a function of Python's.
        for subject in (enum.Enum, Meta("Made", (), {})):
            self.assertNotIsInstance(null_of(subject, (), {})[0], BuiltinFunctionType)

    def test_a_null_takes_the_arguments_that_a_setup_gives(self):
        import time

        for subject in (len, lambda *row, **more: None, str):
            for name, path in Prepared(subject, time.perf_counter_ns, (), {}).paths.items():
                with self.subTest(str(subject), path=name):
                    path.bind(([1],), {})
                    path.loop(2)
                    path.loop(0)

    def test_metrics_and_labels_are_bounded(self):
        session = self.bench(
            "class F(float):\n    def __repr__(self): return 'F'\n"
            "def bench_a():\n    tare.metric('f', F(0.5)); tare.metric('n' * 500, 10 ** 20); tare.label('l' * 500)\n"
            "    for value in (True, '1'):\n"
            "        try:\n            tare.metric('bad', value)\n        except ValueError:\n            tare.metric('refused', 1)\n"
        )
        session.prepare("bench_a")
        self.assertEqual(session.run("case", 2)["frame"], "samples")
        finished = session.send("finish")
        self.assertEqual(finished["metrics"], ["f=0.5", "n" * 200 + "=1e+20", "refused=1"])
        self.assertEqual(finished["labels"], ["l" * 200])

    def test_metrics_that_the_core_would_refuse_are_left_out(self):
        session = self.bench(
            "def bench_a():\n    tare.metric('', 1); tare.metric('big', 10 ** 400); tare.metric('kept', 2)\n"
            "    tare.metric('rate', 1); tare.metric('rate', float('nan'))\n"
        )
        session.prepare("bench_a")
        self.assertEqual(session.run("case", 2)["frame"], "samples")
        self.assertEqual(session.send("finish")["metrics"], ["kept=2"])

    def test_each_subject_has_a_loop_of_its_own(self):
        import time

        paths = plain_paths(time.perf_counter_ns)
        paths.update(Prepared(lambda a: a, time.perf_counter_ns, (1,)).paths)
        loops = [path._loop.__code__ for name, path in paths.items() if name != "clock"]
        self.assertEqual(len(set(map(id, loops))), len(loops))
        case, null = paths["case"]._loop.__code__, paths["null"]._loop.__code__
        self.assertEqual((case.co_code, case.co_consts, case.co_names), (null.co_code, null.co_consts, null.co_names))


if __name__ == "__main__":
    unittest.main()
