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

    def test_the_worker_collects_where_only_calls_are_in_a_stretch(self):
        counting = (
            "import gc\nfound = []\ngc.callbacks.append(lambda phase, info: phase == 'start' and found.append(info['generation']))\n"
            "def tell():\n    for generation in (0, 2): tare.metric('of %d' % generation, found.count(generation))\n"
        )
        for marks, young, whole in (
            ("", 4, 0),
            ("@tare.setup(lambda: None)\n", 0, 0),
            ("@tare.pauses\n", 0, 0),
            ("@tare.collects(False)\n", 0, 2),
        ):
            session = self.bench(counting + marks + "@tare.before(found.clear)\n@tare.after(tell)\ndef bench_a(*given): pass\n")
            self.assertEqual(session.prepare("bench_a")["frame"], "ready")
            for subject in ("case", "null", "case"):
                self.assertEqual(session.run(subject, 1, 1)["frame"], "samples")
            # The one before `ready` is in all of them.
            self.assertEqual(session.send("finish")["metrics"], ["of 0=%d" % young, "of 2=%d" % (whole + 1)], marks)

    def test_a_subject_that_turns_the_collector_off_keeps_it_off(self):
        session = self.bench("import gc\ndef bench_a():\n    tare.metric('on', int(gc.isenabled()))\n    gc.disable()\n")
        session.prepare("bench_a")
        for _ in range(2):
            session.run("case", 1)
        finished = session.send("finish")
        self.assertEqual((finished["metrics"], finished["labels"]), (["on=0"], ["garbage collector off"]))
