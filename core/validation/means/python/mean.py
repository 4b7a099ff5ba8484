"""The mean cost of a call of two benchmarks, measured without Tare.

CPU time of the process over many calls, in turns, less that of an empty function. Arguments: the functions, the calls a turn (a multiple
of what comes round), the turns. Prints nanoseconds, a line each.
"""

import gc
import sys
import time

import subjects


def of_empty():
    pass


def turn(function, calls):
    begun = time.process_time_ns()
    for _ in range(calls):
        function()
    return time.process_time_ns() - begun


def caller(name):
    """A function that calls the subject as the benchmark's function does."""
    scope = {"subjects": subjects}
    exec(f"def call():\n    subjects.{name}()\n", scope)
    return scope["call"]


def main():
    calls, turns = int(sys.argv[3]), int(sys.argv[4])
    functions = [caller(sys.argv[1]), caller(sys.argv[2]), of_empty]
    spent = [0, 0, 0]
    gc.collect()
    gc.freeze()
    # The first turn of each meets caches and a heap that aren't as they stay.
    for index in range(turns + 1):
        for which, function in enumerate(functions):
            ns = turn(function, calls)
            spent[which] += ns if index else 0
    for ns in spent[:2]:
        print((ns - spent[2]) / calls / turns)


main()
