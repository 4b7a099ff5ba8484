"""`read` and `wait`: counts, kinds and refusals; never how long something took."""

import unittest

from cases import Case


class Clocks(Case):
    def read(self, session, clock, **keys):
        return session.send("read", **{"clock": clock, "pairs": 500, "skip": 0, "blocks": 4, "reads": 100, **keys})

    def test_every_clock_is_read_as_often_as_asked(self):
        session = self.session()
        self.assertIn("clocks", session.hello["capabilities"])
        for clock in ("perf_counter_ns", "monotonic_ns", "time_ns", "process_time_ns"):
            self.assertIn(clock, session.hello["reads"])
        for clock in session.hello["reads"]:
            for skip in (0, 3):
                reply = self.read(session, clock, skip=skip)
                self.assertEqual([len(reply[key]) for key in ("values", "blocks", "empty")], [1000, 4, 4])
                self.assertTrue(all(type(value) is int for value in reply["values"]))
                self.assertGreaterEqual(min(reply["blocks"] + reply["empty"]), 0)

    def test_readings_count_from_the_first_of_the_process(self):
        session = self.session()
        before, after = (self.read(session, "monotonic_ns", pairs=1, blocks=0)["values"] for _ in range(2))
        self.assertGreaterEqual(before[0], 0)
        self.assertGreater(after[0], before[1])

    def test_waits_and_what_python_refuses(self):
        session = self.session()
        for call, requested in (("yield", 0), ("sleep", 0), ("sleep", 1), ("sleep", 1000)):
            reply = session.send("wait", call=call, requested=requested, times=3)
            self.assertEqual((reply["frame"], len(reply["taken"])), ("waited", 3), reply)
        self.assert_fault(session.send("wait", call="sleep", requested=-1, times=3), "runtime", "non-negative")
        self.assert_fault(session.send("wait", call="sundial", requested=0, times=1), "bad-request", "sundial")
        self.assert_fault(self.read(session, "sundial"), "bad-request", "sundial")
        self.assert_fault(self.read(session, "time_ns", pairs=0), "bad-request", "pairs")


if __name__ == "__main__":
    unittest.main()
