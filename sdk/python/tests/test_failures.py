"""How benchmarks fail, what hostile code may do, and how the worker starts and ends."""

import os
import subprocess
import sys
import unittest

from cases import Case
from session import HERE, WORKER

EXAMPLE = os.path.join(os.path.dirname(HERE), "example", "bench_hash.py")


class Failures(Case):
    def test_what_a_benchmark_raises_has_its_place(self):
        for body, kind, message in (
            ("raise ValueError('no')", "exception", "ValueError: no"),
            ("raise KeyboardInterrupt", "exception", "KeyboardInterrupt"),
            ("import sys; sys.exit('bye')", "exit", "SystemExit: bye"),
            ("bench_a()", "exception", "RecursionError"),
            ("raise MemoryError", "exception", "MemoryError"),
            ("import json; json.loads('x')", "exception", "JSONDecodeError"),
            ("class E(Exception):\n        def __str__(self): raise OSError\n    raise E", "exception", "its text can't be had: OSError"),
        ):
            with self.subTest(body):
                session = self.bench("\ndef bench_a():\n    %s\n" % body)
                session.prepare("bench_a")
                fault = session.run("case", 1)
                self.assert_fault(fault, kind, message)
                self.assertEqual(os.path.basename(fault["file"]), "bench_x.py")
                self.assertIn(fault["line"], (4, 6))
                self.assertIn("bench_a()", fault["trace"])
                self.assertNotIn("tare_worker", fault["trace"])
                self.assertEqual(session.run("null", 5)["frame"], "samples")
                self.assertEqual(session.send("finish")["frame"], "finished")
                self.assertEqual(session.close(), 0)

    def test_a_package_that_is_missing_names_the_interpreter(self):
        for text in ("import tare_has_no_such_package\ndef bench_a(): pass\n", "from tare_has_no_such_package import x\ndef test_a(benchmark): pass\n"):
            with self.subTest(text):
                notices = self.session(self.sources(bench_x=text).path("bench_x.py")).notices
                self.assertEqual([notice["kind"] for notice in notices], ["load"])
                self.assertIn("No module named 'tare_has_no_such_package'", notices[0]["message"])
                self.assertIn("tare_has_no_such_package", notices[0]["remedy"])
                self.assertIn(sys.executable, notices[0]["remedy"])
                self.assertIn("--runtime", notices[0]["remedy"])

    def test_a_constructor_that_needs_arguments(self):
        session = self.bench("class BenchA:\n    def __init__(self, path): pass\n    def bench_a(self): pass\n")
        fault = session.prepare("BenchA::bench_a")
        self.assertEqual((fault["kind"], fault["message"]), ("load", "The constructor of BenchA needs 1 argument; Tare passes none."))

    def test_hooks_that_fail(self):
        for hook, where in (("before", "prepare"), ("setup", "run"), ("teardown", "run"), ("after", "finish")):
            session = self.bench("def hook():\n    raise OSError('disk')\n@tare.%s(hook)\ndef bench_a(): pass\n" % hook)
            reply = session.prepare("bench_a")
            if where != "prepare":
                reply = session.run("case", 1)
                if where != "run":
                    reply = session.send("finish")
            self.assert_fault(reply, "load" if where == "prepare" else "exception", "OSError: disk")
            self.assertEqual(reply["line"], 3)

    def test_a_setup_that_gives_something_else(self):
        for text, message in (("5", "a setup returns a dict"), ("{'y': 1}", "the setup gives y, which the benchmark doesn't take")):
            session = self.bench("@tare.setup(lambda: %s)\ndef bench_a(): pass\n" % text)
            session.prepare("bench_a")
            self.assert_fault(session.run("case", 1), "exception", message)

    def test_a_case_that_is_another_one_here(self):
        session = self.bench("import os\n@tare.parameters(pid=[os.getpid()])\ndef bench_a(pid): pass\n")
        reply = session.send("prepare", case=0, benchmark="bench_a", parameters="x")
        self.assert_fault(reply, "provider", "in this process, not bench_a")

    def test_the_user_may_close_and_replace_streams(self):
        session = self.bench(
            "import sys, os\ndef bench_a():\n    sys.stdin.close(); sys.stdout.close(); sys.stderr = None\n    os.close(1); os.close(2)\n"
        )
        session.prepare("bench_a")
        self.assertEqual(session.run("case", 1)["frame"], "samples")
        self.assertEqual(session.send("finish")["frame"], "finished")
        self.assertEqual(session.close(), 0)

    def test_a_subject_that_reads_input_gets_none(self):
        session = self.bench("import sys\ndef bench_a():\n    assert sys.stdin.read() == ''\n")
        session.prepare("bench_a")
        self.assertEqual(session.run("case", 2)["frame"], "samples")

    def test_a_lot_of_output(self):
        session = self.bench("def bench_a():\n    print('x' * 100000)\n")
        session.prepare("bench_a")
        self.assertEqual(session.run("case", 50)["frame"], "samples")
        session.close()
        self.assertEqual(len(session.output), 50 * 100001)

    def test_threads_that_are_left_are_told_and_do_not_keep_the_process(self):
        session = self.bench(
            "import threading\nevent = threading.Event()\ndef bench_a():\n    threading.Thread(target=event.wait).start()\n"
        )
        session.prepare("bench_a")
        session.run("case", 2)
        self.assertEqual(session.send("finish")["labels"], ["left 2 threads running"])
        self.assertEqual(session.close(), 0)

    def test_nothing_of_the_user_runs_at_the_end(self):
        session = self.bench(
            "import atexit\natexit.register(print, 'atexit')\nclass D:\n    def __del__(self): print('del')\nd = D()\ndef bench_a(): pass\n"
        )
        session.prepare("bench_a")
        self.assertEqual(session.close(), 0)
        self.assertEqual(session.output, "")

    def test_a_child_that_comes_back_says_nothing(self):
        session = self.bench("import os\ndef bench_a():\n    if os.fork():\n        os.wait()\n")
        session.prepare("bench_a")
        self.assertEqual(session.run("case", 1)["frame"], "samples")
        self.assertEqual(session.send("finish")["frame"], "finished")

    def test_a_process_that_is_ended_is_gone(self):
        session = self.bench("import os\ndef bench_a():\n    os._exit(7)\n")
        session.prepare("bench_a")
        with self.assertRaises(EOFError):
            session.run("case", 1)
        self.assertEqual(session.close(), 7)


class Start(Case):
    def test_hello(self):
        hello = self.session().hello
        self.assertEqual((hello["language"], hello["correction"], hello["clocks"][0]), ("python", "serial", "perf_counter_ns"))
        facts = dict(fact.split("=", 1) for fact in hello["facts"])
        for name in ("implementation", "compiler", "build", "debug", "optimize", "gc", "gil", "jit", "hash_seed"):
            self.assertTrue(facts[name])

    def test_no_large_module_is_imported_before_hello(self):
        code = (
            "import sys; before = set(sys.modules); sys.argv = [%r]; import runpy\n"
            "sys.path.insert(0, %r)\nimport tare_worker.worker\nprint(*sorted(set(sys.modules) - before))" % (WORKER, os.path.join(os.path.dirname(HERE), "src"))
        )
        imported = subprocess.run([sys.executable, "-I", "-S", "-c", code.replace("import runpy", "")], capture_output=True, check=True, text=True)
        loaded = set(imported.stdout.split())
        self.assertIn("tare_worker.worker", loaded)
        self.assertFalse(loaded & {"json", "asyncio", "threading", "inspect", "traceback", "ast", "re", "typing"}, loaded)

    def test_lines_that_are_no_frames_change_nothing(self):
        session = self.session()
        for line in (b'{"frame":"a\\q","id":1}', b'{"frame":"a', b'{"frame":"\t","id":1}', b"{", b"[]", b'{"frame":"run","id":1,}', b"\xff"):
            session.process.stdin.write(line + b"\n")
            session.process.stdin.flush()
            self.assertEqual(session.next()["kind"], "bad-frame", line)
        self.assertEqual(session.run("null", 1)["frame"], "samples")

    def test_a_wire_that_can_not_be_opened(self):
        ended = subprocess.run([sys.executable, WORKER], env={**os.environ, "TARE_WIRE": "/nonexistent/wire"}, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual((ended.returncode, ended.stdout), (1, b""))
        self.assertIn(b"the wire can't be opened", ended.stderr)

    def test_the_entry_can_be_read_by_an_old_python(self):
        with open(WORKER, encoding="utf-8") as file:
            text = file.read()
        text.encode("ascii")
        # What came after 2.7: annotations, f-strings, keyword-only arguments, nonlocal.
        for word in ("->", 'f"', "nonlocal", "*,", "async", ":="):
            self.assertNotIn(word, text)

    def test_the_example(self):
        session = self.session(EXAMPLE)
        self.assertEqual(session.notices, [])
        session.prepare("bench_digest#md5-16")
        self.assertEqual(session.run("case", 10, 0)["frame"], "samples")

    def test_decorated_files_run_by_hand(self):
        environment = {**os.environ, "PYTHONPATH": os.path.join(os.path.dirname(HERE), "src")}
        subprocess.run([sys.executable, EXAMPLE], env=environment, check=True)


if __name__ == "__main__":
    unittest.main()
