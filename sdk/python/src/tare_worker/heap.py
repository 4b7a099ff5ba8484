"""Draws anew in each launch where in the heap the user's code and data come to lie (PROTOCOL 1.9; Curtsinger and Berger, "STABILIZER",
ASPLOS 2013, section 3.2): blocks of random sizes fill the heap, and a random half of them is freed, in random order, before the user's
sources are loaded. What is made then takes the holes."""

import os
import sys

# Not `random`, whose import takes longer than all the rest, and not its one generator, which is the user's.
from _random import Random

# Where the interpreter's own allocator ends and the C library's begins; the one's sizes are multiples of 16.
SMALL = 512
STEP = 16

# Sizes beyond it: of code, large dictionaries, lists.
LARGE = (544, 608, 672, 736, 800, 912, 1024, 1184, 1360, 1600, 1888, 2240, 2720, 3360, 4256, 6528)

# Blocks: at least so many, and fewer than that and the other together.
LEAST, MORE = 512, 512

kept = []


def shake_as_asked():
    """Does what the launch's environment asks for."""
    seed = seed_of_launch()
    if seed is not None:
        shake(seed)


def seed_of_launch(environment=os.environ):
    """What the launch's environment asks for; None for nothing."""
    seed = environment.get("TARE_SEED", "")
    if environment.get("TARE_SHAKE") == "off" or not (seed.isascii() and seed.isdigit()):
        return None
    return int(seed)


def shake(seed):
    """Fills the heap and frees half of that. What stays is in `kept`: bytes, whose length says exactly how large a block is, and
    which the cycle collector doesn't walk through."""
    bits = Random(seed).getrandbits
    header = sys.getsizeof(b"")
    sizes = [size - header for size in (*range(3 * STEP, SMALL + 1, STEP), *LARGE)]
    count = len(sizes)
    blocks = {}
    for _ in range(LEAST + bits(16) * MORE // 65536):
        drawn = bits(64)
        # The smaller of two draws: what a program makes is many small blocks and few large ones.
        size = min((drawn & 0xFFF) * count, (drawn >> 12 & 0xFFF) * count) >> 12
        blocks[drawn >> 24] = bytes(sizes[size])
    order = sorted(blocks)
    kept[:] = [blocks.pop(key) for key in order if key & 1]
    # The others, in the order of their keys.
    for key in order:
        blocks.pop(key, None)
