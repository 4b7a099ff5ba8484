"""When Python's garbage collector runs, and whose time it takes."""

import gc
import os
import sys

from cases import Case
from session import HERE

sys.path.append(os.path.join(os.path.dirname(HERE), "src"))
from tare_worker.sampler import take  # noqa: E402


class Collector(Case):
    def test_the_collector_is_as_the_program_has_it_unless_it_is_said(self):
        text = "import gc\n%s\n%s\ndef bench_a():\n    tare.metric('on', int(gc.isenabled()))\n"
        for mark, on in (("", 1), ("@tare.collects", 1), ("@tare.collects(True)", 1), ("@tare.collects(False)", 0)):
            for left in ("", "gc.disable()"):
                session = self.bench(text % (left, mark))
                session.prepare("bench_a")
                session.run("case", 1)
                finished = session.send("finish")
                expected = on if mark or not left else 0
                self.assertEqual(finished["metrics"], ["on=%d" % expected], (mark, left))
                self.assertEqual(finished.get("labels"), None if expected else ["garbage collector off"])

    def test_what_the_samples_leave_is_collected_within_the_stretch(self):
        told = []

        class Recorded:
            def begin(self):
                told.append("begin")

            def end(self):
                told.append("end")

        class Path:
            def loop(self, calls):
                told.append("sample")
                return 1

        def collected(phase, info):
            if phase == "start":
                told.append("generation %d" % info["generation"])

        def taken(**settings):
            del told[:]
            enabled = take(Path(), [1, 1], 1, Recorded(), **settings)[2]
            return told[:], enabled

        was = gc.isenabled()
        gc.callbacks.append(collected)
        try:
            gc.disable()
            settled = ["sample", "generation 0", "begin", "sample", "sample", "generation 0", "end"]
            self.assertEqual(taken(collects=True, settles=True), (settled, True))
            plain = ["sample", "begin", "sample", "sample", "end"]
            self.assertEqual(taken(collects=True), (plain, True))
            self.assertEqual(taken(), (plain, False))
            self.assertFalse(gc.isenabled())
        finally:
            gc.callbacks.remove(collected)
            if was:
                gc.enable()

    def test_the_worker_collects_where_it_is_asked_and_only_calls_are_in_a_stretch(self):
        counting = (
            "import gc\nfound = []\ngc.callbacks.append(lambda phase, info: phase == 'start' and found.append(info['generation']))\n"
            "def tell():\n    for generation in (0, 2): tare.metric('of %d' % generation, found.count(generation))\n"
        )
        for marks, asked, young, whole in (
            ("", {"settle": True}, 4, 0),
            ("", {"settle": False}, 0, 0),
            ("", {}, 0, 0),
            ("@tare.setup(lambda: None)\n", {"settle": True}, 0, 0),
            ("@tare.pauses\n", {"settle": True}, 0, 0),
            ("@tare.collects(False)\n", {"settle": True}, 0, 2),
        ):
            session = self.bench(counting + marks + "@tare.before(found.clear)\n@tare.after(tell)\ndef bench_a(*given): pass\n")
            self.assertEqual(session.prepare("bench_a")["frame"], "ready")
            for subject in ("case", "null", "case"):
                self.assertEqual(session.send("run", subject=subject, iterations=[1], warm=1, **asked)["frame"], "samples")
            # The one before `ready` is in all of them.
            self.assertEqual(session.send("finish")["metrics"], ["of 0=%d" % young, "of 2=%d" % (whole + 1)], marks)

    def test_the_worker_tells_how_far_calls_bring_the_collector(self):
        # A list that refers to itself is left to the collector, which comes when so many containers were made and not freed.
        due = gc.get_threshold()[0]
        session = self.bench("def bench_circle():\n    found = []\n    found.append(found)\ndef bench_plain():\n    return []\n")
        session.prepare("bench_circle")
        self.assertNotIn("collector_ppm", session.run("null", 10))
        brought = [session.send("run", subject="case", iterations=[50], warm=3)["collector_ppm"] for _ in range(2)]
        for ppm in brought:
            self.assertAlmostEqual(ppm * due / 1e6, 200, delta=20)
        # Containers that Python takes from its store of freed ones aren't counted: some 80 after each collection.
        self.assertAlmostEqual(session.run("case", 2 * due)["collector_ppm"] * due / 1e6, 2 * due, delta=200)
        self.assertNotIn("collector_ppm", session.send("run", subject="case", iterations=[1], warm=0, settle=True))
        session = self.bench("def bench_plain():\n    return []\n")
        session.prepare("bench_plain")
        # Python itself makes a container or two in the first.
        session.run("case", 1)
        self.assertEqual(session.run("case", 1000)["collector_ppm"], 0)

    def test_what_the_program_keeps_is_looked_at_by_its_own_collections(self):
        # What the worker has isn't, and is far more.
        text = "import gc, tare\nkept = [[] for _ in range(1000)]\ndef bench_a():\n    tare.metric('kept', sum(one is kept for one in gc.get_objects()))\n"
        session = self.bench(text + "    tare.metric('frozen', gc.get_freeze_count())\n")
        session.prepare("bench_a")
        session.run("case", 1)
        metrics = dict(metric.split("=") for metric in session.send("finish")["metrics"])
        self.assertEqual(metrics["kept"], "1")
        self.assertGreater(int(metrics["frozen"]), 1000)

    def test_a_subject_that_turns_the_collector_off_keeps_it_off(self):
        session = self.bench("import gc\ndef bench_a():\n    tare.metric('on', int(gc.isenabled()))\n    gc.disable()\n")
        session.prepare("bench_a")
        for _ in range(2):
            session.run("case", 1)
        finished = session.send("finish")
        self.assertEqual((finished["metrics"], finished["labels"]), (["on=0"], ["garbage collector off"]))
