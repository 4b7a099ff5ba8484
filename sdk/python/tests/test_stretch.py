"""`wall`, `cpu` and `yields` of samples: that they are there, and how they stand to each other; never how long something took."""

import unittest

from cases import Case

SLEEPS = """
import time

def bench_sleep():
    time.sleep(0.02)
"""

COMPUTES = """
def bench_compute():
    sum(range(20_000))
"""

BEHIND_HOOK = """
import time

@tare.setup(lambda: time.sleep(0.0001))
def bench_nothing():
    pass
"""

THREADS = """
import threading, time

def bench_beside():
    over = threading.Event()
    thread = threading.Thread(target=lambda: [sum(range(2_000)) for _ in range(2_000)])
    thread.start()
    thread.join()
"""


class Stretch(Case):
    def prepared(self, text, name):
        session = self.bench(text)
        self.assertEqual(session.prepare(name)["frame"], "ready")
        return session

    def told(self, samples):
        for key in ("wall", "cpu", "yields"):
            self.assertIs(type(samples.get(key)), int, samples)
            self.assertGreaterEqual(samples[key], 0)
        return samples["wall"], samples["cpu"], samples["yields"]

    def test_every_subject_tells_what_its_timed_samples_took_together(self):
        session = self.prepared(COMPUTES, "bench_compute")
        for subject in ("case", "null", "pause", "clock", *map("kernel/".__add__, session.hello["kernels"])):
            samples = session.run(subject, 3, 0, 5, warm=2)
            wall, _, _ = self.told(samples)
            # Both clocks are the system's monotonic one.
            self.assertGreaterEqual(wall, sum(samples["elapsed"]), subject)

    def test_who_computes_uses_cpu_time(self):
        session = self.prepared(COMPUTES, "bench_compute")
        wall, cpu, _ = self.told(session.run("case", *[2] * 50))
        self.assertGreater(cpu, 1_000)
        # The readings themselves lie outside of `wall`.
        self.assertLess(cpu, wall + 10_000_000)

    def test_cpu_time_is_that_of_all_threads(self):
        session = self.prepared(THREADS, "bench_beside")
        _, cpu, yields = self.told(session.run("case", 1, 1, 1))
        alone = session.run("null", 1, 1, 1)["cpu"]
        self.assertGreater(cpu, alone)
        self.assertGreaterEqual(yields, 3, "a thread that waits for another one gives the CPU up")

    def test_who_sleeps_yields_in_each_call_and_the_warm_in_does_not_count(self):
        session = self.prepared(SLEEPS, "bench_sleep")
        wall, cpu, yields = self.told(session.run("case", 1, 1, 1, warm=40))
        self.assertTrue(3 <= yields < 40, yields)
        self.assertGreaterEqual(wall, 3 * 20_000_000)
        self.assertLess(cpu, wall)

    def test_hooks_around_samples_are_not_within_for_the_null_as_well(self):
        session = self.prepared(BEHIND_HOOK, "bench_nothing")
        for subject in ("case", "null", "pause"):
            # The hook sleeps.
            samples = session.run(subject, *[1] * 10, warm=100)
            wall, _, yields = self.told(samples)
            self.assertLess(yields, 10, subject)
            self.assertGreaterEqual(wall, sum(samples["elapsed"]), subject)
        self.assertLess(self.told(session.run("clock", *[1] * 10, warm=100))[2], 10)

    def test_where_the_kernel_cannot_be_asked_none_of_the_three_is_told(self):
        # A module of that name, found first, that hasn't what is asked for.
        folder = self.sources(resource="").folder
        session = self.session(environment={"PYTHONPATH": folder})
        samples = session.run("null", 1, 1)
        self.assertEqual(set(samples), {"frame", "id", "elapsed"})


if __name__ == "__main__":
    unittest.main()
