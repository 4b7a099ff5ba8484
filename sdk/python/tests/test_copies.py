"""Copies of the process that serve cases (PROTOCOL, `prepare`)."""

from cases import Case

TEXT = """
import os
def bench_a():
    pass
def bench_b():
    pass
def bench_ends():
    os._exit(3)
def bench_dies():
    os.abort()
"""


class Copies(Case):
    def measure(self, session, benchmark, **keys):
        ready = session.prepare(benchmark, **keys)
        self.assertEqual(ready["frame"], "ready", ready)
        self.assertEqual(session.run("case", 3)["frame"], "samples")
        self.assertEqual(session.send("finish")["frame"], "finished")
        return ready

    def test_one_process_serves_cases_one_after_the_other(self):
        session = self.bench(TEXT)
        self.assertIn("copies", session.hello["capabilities"])
        self.assertTrue(self.measure(session, "bench_a", copy=True)["copied"])
        self.assertTrue(self.measure(session, "bench_b", copy=True)["copied"])
        self.assertTrue(self.measure(session, "bench_a", copy=True)["copied"])

    def test_what_a_case_changes_is_gone_with_its_copy(self):
        text = "seen = []\ndef bench_a():\n    print(len(seen))\n    seen.append(1)\n"
        session = self.bench(text)
        for _ in range(2):
            session.prepare("bench_a", copy=True)
            session.run("case", 1)
            session.send("finish")
        self.assertEqual(self.log(session)[:1], ["0"])
        self.assertEqual(self.log(session).count("0"), 2)

    def test_what_loading_left_behind_is_collected_once_and_what_prepares_a_case_in_its_copy(self):
        text = "import gc\ngc.disable()\nclass Held:\n    def __init__(self, name):\n        self.name, self.itself = name, self\n"
        text += "    def __del__(self):\n        print(self.name, flush=True)\nHeld('loading')\n"
        text += "def prepares():\n    Held('case')\n@tare.before(prepares)\ndef bench_a():\n    pass\n"
        session = self.bench(text)
        for _ in range(3):
            self.measure(session, "bench_a", copy=True)
        self.assertEqual(self.log(session)[:4], ["loading", "case", "case", "case"])

    def test_without_being_asked_the_process_serves_one_case(self):
        session = self.bench(TEXT)
        self.assertNotIn("copied", self.measure(session, "bench_a"))
        self.assert_fault(session.prepare("bench_b"), "bad-request", "follow `finish`")

    def test_a_process_with_threads_or_open_files_serves_one_case_itself(self):
        opened = "import tempfile\nheld = tempfile.TemporaryFile()\n"
        waiting = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        connected = "import socket\nheld = socket.socketpair()\n"
        for held in (opened, waiting, connected):
            self.assertNotIn("copied", self.measure(self.bench(held + TEXT), "bench_a", copy=True), held)

    def test_a_copy_that_ends_takes_the_process_with_it(self):
        for benchmark, status in (("bench_ends", 3), ("bench_dies", -6)):
            session = self.bench(TEXT)
            session.prepare(benchmark, copy=True)
            with self.assertRaises(EOFError):
                session.run("case", 1)
            self.assertEqual(session.process.returncode, status)

    def test_copy_is_a_boolean(self):
        session = self.bench(TEXT)
        self.assert_fault(session.prepare("bench_a", copy=1), "bad-request", "boolean")
        self.assertTrue(self.measure(session, "bench_a", copy=True)["copied"])
