"""The contract of docs/tick-clock.md, on clocks that are moved by hand."""

import asyncio
import os
import selectors
import socket
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src"))

from tare.clock import ManualClock, MonotonicClock, TickClock, TickingEventLoop, TickingSelector, WallClock


class Counting(ManualClock):
    """Counts how often it is read, and can fail."""

    def __init__(self, nanoseconds=0):
        super().__init__(nanoseconds)
        self.readings = 0
        self.failing = False

    def read_ns(self):
        if self.failing:
            raise OSError("the source fails")
        self.readings += 1
        return super().read_ns()

    def read(self):
        return self.read_ns() / 1e9

    @property
    def shows(self):
        return super().read_ns()


class Sleeping(selectors.BaseSelector):
    """A selector on a manual clock: a wait takes a second, or the timeout where it is shorter, and nothing is ever ready."""

    def __init__(self, clock):
        self.clock = clock
        self.real = selectors.DefaultSelector()
        self.waits = 0
        self.interrupted = lambda: None

    def select(self, timeout=None):
        self.waits += 1
        self.clock.advance(min(10**9, round((1 if timeout is None else max(0, timeout)) * 1e9)))
        self.interrupted()
        return self.real.select(0)

    def register(self, *arguments):
        return self.real.register(*arguments)

    def unregister(self, *arguments):
        return self.real.unregister(*arguments)

    def get_map(self):
        return self.real.get_map()

    def close(self):
        self.real.close()


def readings(clock):
    """All that can be read, in nanoseconds."""
    seconds = [clock(), clock.read(), clock.seconds]
    return [clock.nanoseconds, clock.read_ns()] + [round(reading * 1e9) for reading in seconds]


class TickClockTest(unittest.TestCase):
    def setUp(self):
        self.source = Counting(1000)
        self.clock = TickClock(self.source)

    def assert_fresh(self):
        for _ in range(3):
            self.source.advance(7)
            self.assertEqual(readings(self.clock), [self.source.shows] * 5)

    def test_within_a_tick_every_read_gives_one_instant_from_one_reading(self):
        for _ in range(3):
            self.clock.tick()
            begun, taken = self.source.shows, self.source.readings
            for _ in range(3):
                self.assertEqual(readings(self.clock), [begun] * 5)
                self.source.advance(5)
            self.assertEqual(self.source.readings, taken)
        self.assertEqual(self.source.readings, 3)

    def test_outside_a_tick_every_read_is_a_fresh_one(self):
        self.assert_fresh()
        for _ in range(2):
            self.clock.tick()
            self.clock.tick()
            self.clock.end()
            self.assert_fresh()
            self.clock.end()
            self.assert_fresh()

    def test_functions_that_were_kept_go_on_being_right(self):
        read, read_ns = self.clock.read, self.clock.read_ns
        self.assertEqual(read_ns(), 1000)
        self.clock.tick()
        self.source.advance(1000)
        self.assertEqual((read_ns(), read()), (1000, 1e-6))
        self.clock.tick()
        self.assertEqual((read_ns(), read()), (2000, 2e-6))
        self.clock.end()
        self.source.advance(1000)
        self.assertEqual((read_ns(), read()), (3000, 3e-6))

    def test_a_source_that_is_set_back_goes_back_between_ticks_and_not_within_one(self):
        self.clock.tick()
        self.source.step(-400)
        self.assertEqual(readings(self.clock), [1000] * 5)
        self.clock.tick()
        self.assertEqual(readings(self.clock), [600] * 5)

    def test_where_the_source_raises_nothing_is_kept(self):
        self.clock.tick()
        self.source.failing = True
        with self.assertRaisesRegex(OSError, "the source fails"):
            self.clock.tick()
        with self.assertRaisesRegex(OSError, "the source fails"):
            self.clock.seconds
        self.source.failing = False
        self.assert_fresh()

    def test_a_block_is_a_turn_and_ends_by_an_exception_too(self):
        with self.assertRaises(KeyError):
            with self.clock as clock:
                self.assertIs(clock, self.clock)
                self.source.advance(5)
                self.assertEqual(readings(clock), [1000] * 5)
                raise KeyError
        self.assert_fresh()

    def test_after_an_inner_loop_the_outer_turn_reads_fresh(self):
        with self.clock:
            self.source.advance(10)
            with self.clock:
                self.assertEqual(readings(self.clock), [1010] * 5)
            self.assert_fresh()
        self.clock.tick()
        self.source.advance(1)
        self.assertEqual(readings(self.clock), [self.source.shows - 1] * 5)

    def test_its_class_is_one_for_its_users(self):
        for clock in (self.clock, self.clock.__enter__()):
            self.assertIsInstance(clock, TickClock)
            self.assertEqual(type(clock).__name__, "TickClock")
        self.assertEqual(repr(self.clock), "<TickClock in a tick>")
        with self.assertRaisesRegex(AttributeError, "second"):
            self.clock.second
        with self.assertRaisesRegex(TypeError, "wrap it"):
            type("Mine", (TickClock,), {})
        with self.assertRaisesRegex(TypeError, "read_ns"):
            TickClock(lambda: 1.0)

    def test_two_clocks_are_two(self):
        other = TickClock(self.source)
        self.clock.tick()
        self.source.advance(1)
        self.assertEqual((self.clock.nanoseconds, other.nanoseconds), (1000, 1001))
        other.tick()
        self.clock.end()
        self.source.advance(1)
        self.assertEqual((self.clock.nanoseconds, other.nanoseconds), (1002, 1001))


class SourceTest(unittest.TestCase):
    def test_a_manual_clock_goes_back_only_on_purpose(self):
        clock = ManualClock(100)
        clock.advance(0)
        clock.set(100)
        clock.set(2000)
        for move, to in ((clock.advance, -1), (clock.set, 1999)):
            with self.assertRaisesRegex(ValueError, r"would go back.*step\(\)"):
                move(to)
        clock.step(-500)
        self.assertEqual(readings(clock), [1500] * 5)

    def test_the_system_s_clocks_are_one_clock_in_all_their_forms(self):
        for clock in (WallClock(), MonotonicClock(), TickClock()):
            for seconds in (clock(), clock.read(), clock.seconds):
                self.assertIsInstance(seconds, float)
                self.assertLess(abs(seconds - clock.nanoseconds / 1e9), 3600)
            self.assertIsInstance(clock.nanoseconds, int)
            self.assertIsInstance(clock.read_ns(), int)
        self.assertGreater(WallClock().seconds, 1.6e9)

    def test_a_monotonic_clock_never_goes_back(self):
        clock = MonotonicClock()
        read = [clock.read_ns() for _ in range(1000)]
        self.assertEqual(read, sorted(read))


class AsyncioTest(unittest.TestCase):
    def setUp(self):
        self.source = Counting()
        self.clock = TickClock(self.source)
        self.selector = Sleeping(self.source)
        self.loop = TickingEventLoop(self.clock, self.selector)
        self.addCleanup(self.loop.close)

    def assert_fresh(self):
        for _ in range(2):
            self.source.advance(3)
            self.assertEqual(readings(self.clock), [self.source.shows] * 5)

    def test_a_turn_is_a_tick(self):
        waits, seen = [], []

        async def turns():
            for turn in range(5):
                begun = self.clock.nanoseconds
                self.source.advance(10)
                waits.append(self.selector.waits)
                seen.append((begun, self.clock.nanoseconds, self.clock.seconds))
                await asyncio.sleep(0)

        self.assert_fresh()
        taken = self.source.readings
        self.loop.run_until_complete(turns())
        self.assertEqual(waits, list(range(1, 6)))
        for turn, (begun, later, seconds) in enumerate(seen):
            self.assertEqual((begun, later, seconds), (begun, begun, begun / 1e9))
            self.assertEqual(begun, seen[0][0] + 10 * turn)
        self.assertEqual(self.source.readings - taken, self.selector.waits)
        self.assert_fresh()

    def test_callbacks_of_one_turn_share_it_and_no_reading_outlives_a_wait(self):
        seen = []

        def look():
            seen.append((self.selector.waits, self.clock.nanoseconds))
            self.source.advance(1)

        async def main():
            for delay in (0, 0, 0.5, 2):
                self.loop.call_later(delay, look)
                self.loop.call_soon(look)
            done = self.loop.create_future()
            self.loop.call_later(3, done.set_result, None)
            # The loop's own clock doesn't move with the source: what it has waited for has to be due by itself.
            self.loop.time = lambda: self.source.shows / 1e9
            await done

        self.loop.time = lambda: self.source.shows / 1e9
        self.loop.run_until_complete(main())
        turns = {}
        for wait, reading in seen:
            turns.setdefault(wait, set()).add(reading)
        self.assertEqual(len(seen), 8)
        self.assertTrue(all(len(readings) == 1 for readings in turns.values()), turns)
        self.assertGreater(len(turns), 2)
        self.assertEqual(len(set.union(*turns.values())), len(turns))

    def test_a_loop_that_is_stopped_leaves_fresh_reads_and_may_run_again(self):
        for _ in range(2):
            kept = []

            def stop():
                kept.extend([self.clock.nanoseconds, self.source.advance(1) or self.clock.nanoseconds])
                self.loop.stop()

            self.loop.call_soon(stop)
            self.loop.run_forever()
            self.assertEqual(kept[0], kept[1])
            self.assert_fresh()

    def test_an_exception_out_of_the_loop_leaves_fresh_reads(self):
        def interrupt():
            raise KeyboardInterrupt

        self.loop.call_soon(interrupt)
        with self.assertRaises(KeyboardInterrupt):
            self.loop.run_forever()
        self.assert_fresh()

    def test_a_signal_handler_within_a_wait_reads_no_old_instant(self):
        seen = []
        self.selector.interrupted = lambda: seen.append((self.clock.nanoseconds, self.clock.read_ns(), self.source.shows))

        async def main():
            for _ in range(3):
                await asyncio.sleep(0.5)

        self.loop.run_until_complete(main())
        self.assertGreater(len(seen), 3)
        for attribute, function, shown in seen:
            self.assertEqual((attribute, function), (shown, shown))

    def test_a_source_that_fails_doesn_t_end_the_loop(self):
        async def main():
            self.source.failing = True
            await asyncio.sleep(0)
            with self.assertRaisesRegex(OSError, "the source fails"):
                self.clock.seconds
            self.source.failing = False
            await asyncio.sleep(0)
            return self.clock.nanoseconds == self.source.shows

        self.assertTrue(self.loop.run_until_complete(main()))

    def test_a_selector_is_one(self):
        here, there = socket.socketpair()
        self.addCleanup(here.close)
        self.addCleanup(there.close)
        selector = TickingSelector(self.clock)
        selector.register(here, selectors.EVENT_READ, "data")
        self.assertEqual(selector.select(0), [])
        there.send(b"x")
        [(key, events)] = selector.select(5)
        self.assertEqual((key.fileobj, key.data, events), (here, "data", selectors.EVENT_READ))
        self.assertEqual(selector.modify(here, selectors.EVENT_READ, "other").data, "other")
        self.assertEqual(selector.get_key(here).data, "other")
        self.assertEqual(len(selector.get_map()), 1)
        reading = self.clock.nanoseconds
        self.source.advance(1)
        self.assertEqual(self.clock.nanoseconds, reading)
        selector.unregister(here)
        selector.close()
        self.assert_fresh()


if __name__ == "__main__":
    unittest.main()
