"""Operations under load, on a clock that moves when somebody waits."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src"))

import tare
from session import Session
from tare_worker.fault import Fault
from tare_worker.operation import Suite, operations
from tare_worker.work import Work

SECOND = 1_000_000_000


class Simulated:
    def __init__(self):
        self.now = 0
        self.frames = []

    def read(self):
        return self.now

    def sleep(self, seconds):
        self.now += max(1, round(seconds * 1e9))

    def takes(self, nanoseconds):
        def call(_worker):
            self.now += nanoseconds

        return call

    def run(self, calls, pattern, gaps=(), count=0, duration=0, slice=1_000_000):
        work = Work(self.frames.append, self.read, self.sleep)
        work.run(dict(enumerate(calls)), tare.LoadWorker(0, 1), 0, pattern, list(gaps), 0, count, duration, slice)
        return work

    def latencies(self):
        return [latency for frame in self.frames for latency in frame.get("latencies", ())]


class Works(unittest.TestCase):
    def setUp(self):
        self.time = Simulated()

    def test_a_stall_is_in_the_latencies_of_all_that_were_due_meanwhile(self):
        time = self.time

        def call(_worker):
            if 5 * SECOND <= time.now < 7 * SECOND:
                time.now = 7 * SECOND

        work = time.run([call], [0], [20_000_000], duration=20 * SECOND, slice=SECOND)
        due = range(0, 20 * SECOND, 20_000_000)
        expected = [7 * SECOND - at if 5 * SECOND <= at < 7 * SECOND else 0 for at in due]
        self.assertEqual(time.latencies(), expected)
        self.assertEqual((work.begun, work.dropped, sum(frame["late"] for frame in time.frames)), (1000, 0, 99))

    def test_what_fails_all_the_time_is_tried_less_and_less_often_where_there_is_an_end_in_time(self):
        time = self.time

        def fails(_worker):
            time.now += 1_000
            raise ValueError("gone")

        # Ten at once; then after 10, 20, … 640 ms and 1 s each.
        work = time.run([fails], [0], duration=4 * SECOND, slice=SECOND)
        self.assertEqual((work.begun, sum(sum(frame["failed"]) for frame in time.frames)), (19, 19))
        # A number of operations is done as quickly as they fail, and an open loop keeps its times.
        self.assertEqual(Simulated().run([fails], [0], count=50, slice=SECOND).begun, 50)
        self.assertEqual(Simulated().run([fails], [0], [20_000_000], duration=4 * SECOND, slice=SECOND).begun, 200)
        time = Simulated()
        numbers = iter(range(1, 10_000))

        def seldom_succeeds(_worker):
            time.now += 1_000_000
            if next(numbers) % 9:
                raise ValueError("now and then it succeeds")

        self.assertEqual(time.run([seldom_succeeds], [0], duration=SECOND, slice=SECOND).begun, 1000)

    def test_a_closed_loop_follows_the_pattern(self):
        work = self.time.run([self.time.takes(1000), self.time.takes(5000)], [0, 0, 1], count=7)
        told = {frame["operation"]: frame["latencies"] for frame in self.time.frames}
        self.assertEqual(told, {0: [1000] * 5, 1: [5000] * 2})
        self.assertEqual((work.begun, work.ended), (7, 15_000))

    def test_what_was_due_and_never_begun_is_dropped(self):
        work = self.time.run([self.time.takes(10_000_000)], [0], [1_000_000], duration=100_000_000)
        self.assertEqual((work.begun, work.dropped), (10, 90))

    def test_failures_have_no_latency_and_are_told_by_kind(self):
        turns = iter(range(10))

        def call(_worker):
            turn = next(turns)
            if turn % 2:
                raise ValueError("turn %d" % turn)

        self.time.run([call], [0], count=10)
        frame = self.time.frames[0]
        self.assertEqual((len(frame["latencies"]), frame["failures"], frame["failed"]), (5, ["ValueError"], [5]))

    def test_a_full_buffer_is_sent_before_its_slice_is_over(self):
        self.time.run([self.time.takes(1)], [0], count=10_000)
        self.assertEqual((len(self.time.frames), len(self.time.latencies())), (3, 10_000))


class Finds(unittest.TestCase):
    def module(self, **members):
        module = type(sys)("suite_of_a_test")
        for name, member in members.items():
            member.__module__ = module.__name__
            setattr(module, name, member)
        return module

    def test_operations_of_classes_and_functions_are_suites(self):
        class Store:
            def __init__(self, worker):
                self.number = worker.number

            @tare.operation(weight=9, name="get")
            def read(self, worker):
                return self.number, worker.turn

            @tare.operation()
            def put(self):
                return "put"

            def close(self):
                closed.append(self.number)

        closed = []
        found = operations(self.module(Store=Store), "a.py")
        self.assertEqual([(of.suite, of.name, of.weight) for of in found], [("Store", "get", 9), ("Store", "put", 1)])
        suite = Suite(dict(enumerate(found)), 3, 4)
        self.assertEqual((suite.calls[0](suite.worker), suite.calls[1](suite.worker)), ((3, 0), "put"))
        suite.finish()
        self.assertEqual(closed, [3])

    def test_an_operation_may_be_marked_without_parentheses(self):
        class Store:
            @tare.operation
            def get(self, worker):
                return worker.number

        @tare.operation
        def put():
            return "put"

        found = operations(self.module(Store=Store, put=put), "a.py")
        self.assertEqual([(of.suite, of.name, of.weight) for of in found], [("Store", "get", 1), ("suite_of_a_test", "put", 1)])
        self.assertEqual([Suite({0: of}, 3, 4).calls[0](tare.LoadWorker(3, 4)) for of in found], [3, "put"])

    def test_a_set_up_that_raises_is_told_with_its_suite(self):
        class Store:
            def __init__(self):
                raise OSError("no server")

            @tare.operation()
            def get(self):
                pass

        with self.assertRaises(Fault) as raised:
            Suite(dict(enumerate(operations(self.module(Store=Store), "a.py"))), 0, 1)
        self.assertEqual(raised.exception.kind, "load")
        self.assertIn("no server", raised.exception.message)

    def test_what_loading_took_hides_no_smaller_peak_of_operations(self):
        source = "import tare\n\nbytearray(16 << 20)\n\n\n@tare.operation()\ndef hold():\n    bytearray(4 << 20)\n"
        with tempfile.TemporaryDirectory() as folder, Session(environment={"PYTHONTRACEMALLOC": "1"}) as session:
            path = os.path.join(folder, "bench_hold.py")
            with open(path, "w") as file:
                file.write(source)
            session.load(path)
            self.assertEqual(session.send("connect", suite="bench_hold", worker=0, workers=1)["frame"], "connected")
            worked = session.send("work", start=0, pattern=[0], count=3, duration=0, slice=3_600_000_000_000)
            self.assertEqual((worked["frame"], worked["operations"]), ("worked", 3))
            self.assertTrue(4 << 20 < worked["runtime_peak_bytes"] < 16 << 20, worked)

    def test_a_weight_that_is_none_is_refused(self):
        for weight in (-1, 1.5, "9", 10**7, True):
            with self.assertRaises(ValueError):
                tare.operation(weight=weight)


if __name__ == "__main__":
    unittest.main()
