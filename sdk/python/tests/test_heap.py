"""Shaking the heap: what a launch's seed draws, seen from a benchmark's module while it is loaded."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src"))

from cases import Case
from tare_worker import heap

# Objects of several sizes, and where they lie within their page: the pages themselves are others in each process.
TELLS = """
import json, random, sys
def one(): return 1
def two(): return [number * 2 for number in range(10)]
def three(a, b=3, *c): return {a: b, "c": c}
made = [bytes(size) for size in (20, 100, 100, 200, 200, 400, 700, 700, 1500)]
places = [id(thing) for thing in (one, two, three, one.__code__, two.__code__, three.__code__, *made)]
worker = sys.modules["tare_worker.heap"]
print(json.dumps({
    "kept": [len(block) for block in worker.kept],
    "places": [place & 0xFFF for place in places],
    "random": random.random(),
}))
def bench_nothing(): pass
"""


class Heap(Case):
    def told(self, **environment):
        # The hashes of strings are drawn, too, and with them the sizes of what holds them.
        session = self.bench(TELLS, environment={"TARE_SEED": "", "TARE_SHAKE": "", "PYTHONHASHSEED": "1", **environment})
        self.assertEqual(session.prepare("bench_nothing")["frame"], "ready")
        self.assertEqual(len(session.run("case", 1)["elapsed"]), 1)
        session.close()
        return json.loads(session.output)

    def test_each_seed_draws_other_blocks_and_the_same_seed_the_same(self):
        seeds = ("0", "1", "2", "9223372036854775808", "18446744073709551615")
        told = [self.told(TARE_SEED=seed)["kept"] for seed in seeds]
        self.assertEqual(told, [self.told(TARE_SEED=seed)["kept"] for seed in seeds])
        self.assertEqual(len(set(map(tuple, told))), len(seeds))

    def test_where_things_lie_is_the_same_in_each_launch_only_without_a_seed(self):
        def alike(seeds):
            """How many things lie at the same place in all launches."""
            launches = [self.told(TARE_SEED=seed)["places"] for seed in seeds]
            return sum(len(set(places)) == 1 for places in zip(*launches))

        # Some are moved by names of temporary files, which are others in each launch.
        self.assertGreaterEqual(alike([""] * 3), 10)
        self.assertGreaterEqual(alike(["5"] * 3), 10)
        self.assertLessEqual(alike(["5", "6", "7"]), 2)

    def test_what_stays_is_some_hundred_kilobytes(self):
        self.addCleanup(heap.kept.clear)
        for seed in range(50):
            heap.shake(seed)
            self.assertTrue(60_000 < sum(map(sys.getsizeof, heap.kept)) < 400_000, seed)
            # About half of 512 to 1023.
            self.assertTrue(200 < len(heap.kept) < 600, seed)

    def test_blocks_are_of_all_sizes_and_more_of_them_small(self):
        self.addCleanup(heap.kept.clear)
        found = []
        for seed in range(20):
            heap.shake(seed)
            found += map(sys.getsizeof, heap.kept)
        self.assertTrue({48, 64, 512, *heap.LARGE} <= set(found), sorted(set(found)))
        self.assertGreater(found.count(64), 3 * found.count(heap.LARGE[-2]))

    def test_without_a_seed_or_switched_off_nothing_stays(self):
        for environment in ({}, {"TARE_SEED": "7", "TARE_SHAKE": "off"}, {"TARE_SEED": "seven"}, {"TARE_SEED": "-7"}, {"TARE_SEED": "\u0667"}):
            self.assertEqual(self.told(**environment)["kept"], [], environment)
        self.assertNotEqual(self.told(TARE_SEED="7", TARE_SHAKE="on")["kept"], [])

    def test_the_random_numbers_of_the_users_code_are_not_seeded(self):
        one, other = (self.told(TARE_SEED="7") for _ in range(2))
        self.assertNotEqual(one["random"], other["random"])


if __name__ == "__main__":
    unittest.main()
